/**
 * Shutdown of a process: the first SIGINT, SIGTERM or SIGHUP starts it, further ones are ignored; so does the end of
 * the parent process, where it holds a channel open to this one. Resources are closed in reverse order, each step
 * within a bound: one that hangs or fails is reported and does not prevent the others from closing.
 */

import { constants } from 'node:os'
import type { Logger } from './log.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Milliseconds between two looks for the parent. */
const PARENT_POLL_MS = 500

/**
 * Aborted on the first signal to end. `followsParent`: also when its parent ends. npm sends a signal to the shell that
 * runs a command, and that shell does not pass it on.
 */
export function endSignal(source: NodeJS.Process, followsParent = false): AbortSignal {
  const end = new AbortController()
  if (followsParent) {
    const parent = source.ppid
    const poll = setInterval(() => {
      if (source.ppid !== parent) end.abort('parent')
    }, PARENT_POLL_MS)
    poll.unref()
    end.signal.addEventListener('abort', () => clearInterval(poll), { once: true })
  }
  for (const name of SIGNALS) source.on(name, () => end.abort(name))
  source.once('disconnect', () => end.abort('parent'))
  // The parent ended before this process was loaded: no event will report that.
  if (source.send !== undefined && !source.connected) end.abort('parent')
  return end.signal
}

/** Exit codes above it encode the signal that ended a process. */
export const EXIT_BY_SIGNAL = 128

/** Exit code of a process that the signal ended, as shells report it; that of SIGTERM after the parent exited. */
export function exitCodeOf({ reason }: AbortSignal): number {
  const name = SIGNALS.find((each) => each === reason) ?? 'SIGTERM'
  return EXIT_BY_SIGNAL + constants.signals[name]
}

/** Resolves once the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

export type Closers = {
  /** `close` runs at closeAll, before functions that were added earlier. */
  add(name: string, close: () => Promise<unknown> | unknown): void
  closeAll(): Promise<void>
}

const CLOSE_BOUND_MS = 30_000

export function createClosers(
  report: (name: string, error: unknown) => void,
  boundMs: number = CLOSE_BOUND_MS,
): Closers {
  const open: { name: string; close: () => Promise<unknown> | unknown }[] = []
  return {
    add(name, close) {
      open.push({ name, close })
    },
    async closeAll() {
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        try {
          await within(boundMs, next.close)
        } catch (error) {
          report(next.name, error)
        }
      }
    },
  }
}

/** Closers that log what fails. */
export const createLoggingClosers = (log: Logger): Closers =>
  createClosers((name, error) => log.error({ err: error, name }, 'failed to close'))

async function within(boundMs: number, run: () => Promise<unknown> | unknown): Promise<void> {
  let bound: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    bound = setTimeout(() => reject(new Error(`not done within ${boundMs / 1000} s`)), boundMs)
  })
  try {
    await Promise.race([run(), late])
  } finally {
    clearTimeout(bound)
  }
}
