/**
 * The entry of `swaptide`: a command line in this process.
 */
import { fstatSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { EXIT_FAILED } from './cli/command.ts'
import { runCli } from './command-line.ts'
import { ENVIRONMENT, isRunByNpm } from './config.ts'
import { EXIT_BY_SIGNAL, endSignal } from './shutdown.ts'

const { stderr, stdin } = process
const STDOUT_FD = 1
/** When a disk is full Node writes the part that fits into a file, and drops the rest without an error. */
const intoFile = (): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        writeFileSync(STDOUT_FD, chunk)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
  })
const stdout: Writable = fstatSync(STDOUT_FD).isFile() ? intoFile() : process.stdout
// A reader that closed its end (`| head`), that Ctrl-C ended first (`2>&1 | tee`), or a closed terminal is no error: a
// process that was signalled must still shut down in order.
const READER_GONE = ['EPIPE', 'EIO']
// Any other write error (a full disk) is reported once and sets the exit code.
let isReported = false
stdout.on('error', ({ code = '', message }: NodeJS.ErrnoException) => {
  if (isReported || READER_GONE.includes(code)) return
  isReported = true
  process.exitCode = EXIT_FAILED
  stderr.write(`swaptide: standard output: ${message}\n`)
})
// A log that cannot be written does not stop work.
stderr.on('error', () => {})
// Flushed before the process ends: a forced exit would cut pending output.
const exitCode = await runCli(process.argv.slice(2), {
  environment: ENVIRONMENT,
  stdout,
  stderr,
  stdin,
  endSignal: () => endSignal(process, isRunByNpm(ENVIRONMENT)),
})
// Aborted: pending work must not delay the exit.
if (exitCode > EXIT_BY_SIGNAL) process.exit(exitCode)
process.exitCode ||= exitCode
// A channel to the process that started this one would keep it alive.
if (process.connected) process.disconnect()
