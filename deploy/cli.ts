/**
 * The entry of `swaptide`: a command line in this process.
 */
import { runCli } from './command-line.ts'
import { ENVIRONMENT } from './config.ts'
import { EXIT_BY_SIGNAL, endSignal } from './shutdown.ts'

// A reader that has seen enough (`| head`) is no fault.
process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
  if (fault.code !== 'EPIPE') throw fault
})
const { stdout, stderr, stdin } = process
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
