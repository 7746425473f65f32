/**
 * The entry of `swaptide`: a command line in this process.
 */
import { runCli } from './command-line.ts'
import { ENVIRONMENT } from './config.ts'
import { EXIT_BY_SIGNAL, endSignal } from './shutdown.ts'

const { stdout, stderr, stdin } = process
// A reader that has seen enough (`| head`), that Ctrl-C ended first (`2>&1 | tee`), or a terminal that was closed is
// no fault: who is told to end must come to its orderly end.
const READER_GONE = ['EPIPE', 'EIO']
for (const output of [stdout, stderr]) {
  output.on('error', (fault: NodeJS.ErrnoException) => {
    if (!READER_GONE.includes(fault.code ?? '')) throw fault
  })
}
// Written out before the process ends: an exit by force would cut what is still on its way.
const exitCode = await runCli(process.argv.slice(2), {
  environment: ENVIRONMENT,
  stdout,
  stderr,
  stdin,
  endSignal: () => endSignal(process),
})
// Broken off: what is under way keeps nobody waiting.
if (exitCode > EXIT_BY_SIGNAL) process.exit(exitCode)
process.exitCode = exitCode
// A channel to the process that started this one would keep it alive.
if (process.connected) process.disconnect()
