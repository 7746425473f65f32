/**
 * How a process ends: the first SIGINT, SIGTERM or SIGHUP asks for it, further ones change nothing; so
 * does the end of the process that started this one, where that keeps a channel open to it.
 * What was opened is closed in reverse order, each step within a bound: one that hangs or fails is
 * reported and does not keep the others from closing.
 */

import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Milliseconds between two looks for the parent. */
const PARENT_POLL_MS = 500

/**
 * Aborted as soon as the process is asked to end. `followsParent`: also when its parent ends. npm hands a signal to the
 * shell that it runs a command in, and that shell passes it to nobody.
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
  // Gone before this process was loaded: it will not be heard of.
  if (source.send !== undefined && !source.connected) end.abort('parent')
  return end.signal
}

/** Above it, an exit code tells of the signal that ended a process. */
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
  /** `close` runs at closeAll, before those that were added earlier. */
  add(name: string, close: () => Promise<unknown> | unknown): void
  closeAll(): Promise<void>
}

export const CLOSE_BOUND_MS = 30_000

export function createClosers(
  report: (name: string, fault: unknown) => void,
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
        } catch (fault) {
          report(next.name, fault)
        }
      }
    },
  }
}

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
