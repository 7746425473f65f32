/**
 * An answer of the API as a page uses it: requested when the page needs it, again after an interval, a problem or a
 * sign-in, and aborted when the page no longer needs it. The last answer stays visible while a later request fails.
 */
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { problemOf, waitAfter } from './attempts.ts'
import type { Problem } from './request.ts'
import { needsKey, signIns } from './session.ts'

export type Loaded<Value> = {
  /** The last answer; undefined before the first. */
  value: Value | undefined
  /** Unix ms of the last answer. */
  at: number
  /** Why the last request has no answer; undefined after a success. */
  problem: Problem | undefined
  /** Unix ms of the next attempt, while there is a problem. */
  retryAt: number
  /** Requests it again at once. */
  retry: () => void
  /** The same after a change: where a request is under way, whose answer may be older, another one follows it. */
  renew: () => void
}

export type LoadOptions = {
  /** Milliseconds between an answer and the next request; absent: it is requested once. */
  everyMs?: number
}

export const NOTHING = { value: undefined, at: 0, problem: undefined, retryAt: 0 }

/** `key`: names the request; another one starts over. An empty key requests nothing. */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  { everyMs }: LoadOptions = {},
): Loaded<Value> {
  const loaded = useSignal<Omit<Loaded<Value>, 'retry' | 'renew'>>(NOTHING)
  const again = useRef((_isChanged: boolean) => {})
  const attempts = signIns.value
  // The request goes out with the first drawing, not after the browser has painted it.
  useLayoutEffect(() => {
    if (key === '') return
    const aborted = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let failures = 0
    let isPending = false
    let isOutdated = false
    loaded.value = NOTHING
    const attempt = async (): Promise<void> => {
      isPending = true
      try {
        const value = await load(aborted.signal)
        if (aborted.signal.aborted) return
        failures = 0
        loaded.value = { value, at: Date.now(), problem: undefined, retryAt: 0 }
        if (everyMs !== undefined) timer = setTimeout(attempt, everyMs)
      } catch (cause) {
        if (aborted.signal.aborted) return
        const problem = problemOf(cause)
        const waitMs = waitAfter(problem, failures++)
        loaded.value = {
          ...loaded.value,
          problem,
          retryAt: waitMs === undefined ? 0 : Date.now() + waitMs,
        }
        if (problem.kind === 'key') needsKey.value = true
        if (waitMs !== undefined) timer = setTimeout(attempt, waitMs)
      } finally {
        isPending = false
        if (isOutdated && !aborted.signal.aborted) startAgain()
      }
    }
    const startAgain = (): void => {
      isOutdated = false
      clearTimeout(timer)
      void attempt()
    }
    again.current = (isChanged) => {
      if (!isPending) startAgain()
      else if (isChanged) isOutdated = true
    }
    void attempt()
    return () => {
      clearTimeout(timer)
      aborted.abort()
    }
  }, [key, attempts])
  return {
    ...loaded.value,
    retry: () => again.current(false),
    renew: () => again.current(true),
  }
}
