/** Attempts at a request: which problems another attempt may solve, and how long it waits before that. */
import { pause } from '../../clients/typescript/request.ts'
import { NOT_OF_SLOT, Problem } from './request.ts'

/** A problem that is attempted again. */
export type Trouble = {
  problem: Problem
  /** Unix ms of the next attempt; 0: there is none. */
  retryAt: number
  /** Attempts it at once. */
  retry: () => void
}

export type Outcome<Value> = { value: Value } | { problem: Problem }

type Persistence = {
  signal: AbortSignal
  /** Attempts that may fail; absent: any number. */
  failuresMax?: number
  onTrouble: (trouble: Trouble) => void
}

const RETRY_MS = { first: 2_000, max: 30_000 }
/** Problems that the same request would meet again. */
const FINAL = new Set(['unknown', 'refused', 'key', ...NOT_OF_SLOT])

/** Attempts until there is a value or a problem that stays. Rejects with the reason of the signal. */
export async function persist<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  { signal, failuresMax = Number.POSITIVE_INFINITY, onTrouble }: Persistence,
): Promise<Outcome<Value>> {
  for (let failures = 0; ; failures++) {
    try {
      return { value: await load(signal) }
    } catch (cause) {
      signal.throwIfAborted()
      const problem = problemOf(cause)
      const waitMs = waitAfter(problem, failures)
      if (waitMs === undefined || failures + 1 >= failuresMax) return { problem }
      const woken = new Promise<void>((retry) => {
        onTrouble({ problem, retryAt: Date.now() + waitMs, retry })
      })
      await Promise.race([woken, pause(waitMs, signal)])
    }
  }
}

export function problemOf(cause: unknown): Problem {
  return cause instanceof Problem ? cause : new Problem('refused', String(cause))
}

/** Milliseconds; undefined: it is not requested again. */
export function waitAfter({ kind, waitMs }: Problem, failures: number): number | undefined {
  if (FINAL.has(kind)) return undefined
  return Math.max(waitMs, Math.min(RETRY_MS.max, RETRY_MS.first * 2 ** failures))
}
