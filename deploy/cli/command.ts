/**
 * The interface of a command and its context. Each command is a module of commands/ that exports `described` and
 * `run`; `run` returns the exit code. Results go to `stdout`, all else to `stderr`.
 */

import { userInfo } from 'node:os'
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
  /** The running line on `stderr`; any other output clears it first. */
  progress: Progress
  /** Aborted on a signal to end. */
  signal: AbortSignal
}

export type Command = {
  described: Usage
  /**
   * Behaviour on a signal to end. `drains`: finishes and returns its own exit code; `releases`: releases its resources
   * within a bound. Absent: it is abandoned at once, which leaves no inconsistency.
   */
  ending?: 'drains' | 'releases'
  run(argv: readonly string[], context: CommandContext): Promise<number>
}

export const EXIT_OK = 0
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2

/**
 * Name of the account that runs a command, or its uid: a container may run as one that has no name.
 */
export function accountName(lookUp: () => { username: string }, uid: number | undefined): string {
  try {
    return lookUp().username
  } catch {
    return `uid:${uid}`
  }
}

/** The actor of a command in the audit. */
export const CLI_ACTOR = `cli:${accountName(userInfo, process.getuid?.())}`
