/**
 * What a command is, and what it works with. Each stands in commands/<name>.ts and exports `described`
 * and `run`; the answer of `run` is the exit code. Results go to `stdout`, all else to `stderr`.
 */
import type { Readable } from 'node:stream'
import type { Config, LogLevel } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Usage } from './arguments.ts'
import type { Output, Progress } from './progress.ts'

export type CommandContext = {
  config: Config
  /** A logger at LOG_LEVEL, or at the command's own level where that is not set. */
  log: (level: LogLevel) => Logger
  stdout: Output
  stderr: Output
  stdin: Readable
  /** The running line on `stderr`; whatever else is written clears it first. */
  progress: Progress
  /** Aborted when the process is asked to end. */
  signal: AbortSignal
}

export type Command = {
  described: Usage
  /**
   * What it does when the process is asked to end. `drains`: ends by itself, with its own exit code; `releases`:
   * gives back what it holds. Absent: it is broken off there and then, which leaves nothing wrong.
   */
  ending?: 'drains' | 'releases'
  run(argv: readonly string[], context: CommandContext): Promise<number>
}

export const EXIT_OK = 0
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2
