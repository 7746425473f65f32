/**
 * Sliding-window rate limiter over 60 s, exact across processes. One window per key lineage in Redis.
 *
 * ```
 * requests of one event-loop turn -> one script call per lineage, all in one write -> admitted first come, first served
 * Redis down -> this process's own window with its share of the cap; reported to Redis when it is back
 * ```
 * Invariant: no outage and no doubled quota. Without Redis a request waits some milliseconds, after a few failures not
 * at all. Each process records what it admitted, in case Redis is down or loses its data. A call without an answer may
 * have been counted: it is retried under its number before any other call of the lineage, so nothing counts twice.
 */

import { LRUCache } from 'lru-cache'
import type { Quota } from '../../routing/caller.ts'
import type { LimitStore, Taken, Taking } from './limit-store.ts'
import { QUANTUM_MS, type ReportedCount, RollingWindow, WINDOW_QUANTA } from './rolling-window.ts'

type RateLimitDecision = Quota & { isAdmitted: boolean }

export type Limiter = {
  /** Decides one request, and counts it if it is admitted. */
  take(lineage: string, cap: number): Promise<RateLimitDecision>
  /**
   * Whether the lineage was so far below its cap at its last decision that the next request is almost certainly
   * admitted. A hint only: work that is begun on it must be cancelled if `take` refuses.
   */
  hasRoom(lineage: string, cap: number): boolean
  /** Whether the last decision was made without Redis. */
  isDegraded(): boolean
  end(): void
}

type LimiterSources = {
  /** Shared windows in Redis; absent: this process counts by itself. */
  store?: LimitStore | undefined
  /** Live API processes, to compute this one's share of a cap while Redis is down. */
  instances: () => number
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Width of the store's window; absent: 60 s. */
  windowQuanta?: number
}

/** Lineages in memory; the least recently used is evicted. */
const LINEAGES_MAX = 10_000
/** Calls per batch: the first may find that Redis lost its data. */
const TRIES_MAX = 2
/** Share of a cap below which `hasRoom` is true. */
const ROOMY_SHARE = 0.5
const SECOND_QUANTA = 1_000 / QUANTUM_MS
const WINDOW_SECONDS_MAX = WINDOW_QUANTA / SECOND_QUANTA

/**
 * A call that Redis did not answer: it was counted, will be counted, or never arrived. `letIn`: requests of it that
 * the process then admitted by itself; absent until it has decided.
 */
type Doubt = { number: number; reported: readonly ReportedCount[]; letIn?: ReportedCount }
/**
 * State of a lineage in this process. `window`: requests it admitted; `born`: id of the log in Redis at the last
 * answer; `doubt`: an unanswered call; `latestSum`: sum of all processes at the last answer; `pendingCount`: undecided
 * requests.
 */
type Own = {
  window: RollingWindow
  born?: string | undefined
  doubt?: Doubt | undefined
  latestSum?: number
  pendingCount: number
}
type PendingRequest = { cap: number; settle: (decision: RateLimitDecision) => void }
type Batch = { own: Own; requests: PendingRequest[] }

export function createLimiter(sources: LimiterSources): Limiter {
  const { store, instances, now, windowQuanta } = sources
  const owns = createOwns(windowQuanta)
  const quantum = (): number => Math.floor(now() / QUANTUM_MS)
  let batches = new Map<string, Batch>()
  let isFlushing = false
  let isDegraded = false
  let number = 0

  const decide = async (lineage: string, { own, requests }: Batch): Promise<void> => {
    const { cap } = requests[0] as PendingRequest
    const request = { lineage, cap, wanted: requests.length }
    const taken = store && (await requestStore(store, own, request, quantum, () => ++number))
    own.pendingCount -= requests.length
    isDegraded = store !== undefined && taken === undefined
    const at = quantum()
    if (taken === undefined) {
      const share = store === undefined ? cap : Math.max(1, Math.floor(cap / instances()))
      decideAlone(own, at, { share, isOwed: store !== undefined }, requests)
      return
    }
    own.latestSum = taken.sum
    if (taken.admitted > 0) own.window.add(at, taken.admitted)
    const resetSeconds = secondsOf(taken.quantaLeft)
    const before = taken.sum - taken.admitted
    requests.forEach(({ settle }, index) => {
      const isAdmitted = index < taken.admitted
      settle({ cap, used: before + Math.min(index + 1, taken.admitted), resetSeconds, isAdmitted })
    })
  }

  const flush = async (): Promise<void> => {
    isFlushing = true
    while (batches.size > 0) {
      const current = batches
      batches = new Map()
      const decided: Promise<void>[] = []
      const decideAll = (): void => {
        for (const [lineage, batch] of current) decided.push(decide(lineage, batch))
      }
      if (store === undefined) decideAll()
      else store.together(decideAll)
      await Promise.all(decided)
    }
    isFlushing = false
  }

  return {
    take(lineage, cap) {
      return new Promise((settle) => {
        // Micro-batching: requests of one event-loop turn share a call at its end; those that come during a call
        // share the next one, so calls per request fall under load.
        if (batches.size === 0 && !isFlushing) setImmediate(flush)
        const batch = batches.get(lineage) ?? { own: owns.of(lineage), requests: [] }
        if (batch.requests.length === 0) batches.set(lineage, batch)
        batch.requests.push({ cap, settle })
        batch.own.pendingCount += 1
      })
    },
    hasRoom: owns.hasRoom,
    isDegraded: () => isDegraded,
    end: () => store?.end(),
  }
}

function createOwns(windowQuanta: number | undefined) {
  const owns = new LRUCache<string, Own>({ max: LINEAGES_MAX })
  return {
    of(lineage: string): Own {
      const known = owns.get(lineage)
      if (known !== undefined) return known
      const made = { window: new RollingWindow(windowQuanta), pendingCount: 0 }
      owns.set(lineage, made)
      return made
    },
    hasRoom(lineage: string, cap: number): boolean {
      const { latestSum = cap, pendingCount = 0 } = owns.peek(lineage) ?? {}
      return latestSum + pendingCount < ROOMY_SHARE * cap
    },
  }
}

/** Seconds, rounded up and capped at 60: a count lives for the window and the rest of its quantum. */
function secondsOf(quanta: number): number {
  return Math.min(WINDOW_SECONDS_MAX, Math.ceil(quanta / SECOND_QUANTA))
}

/** The decision of Redis; undefined without an answer. Settles an unanswered call first. */
async function requestStore(
  store: LimitStore,
  own: Own,
  request: Pick<Taking, 'lineage' | 'cap' | 'wanted'>,
  quantum: () => number,
  nextNumber: () => number,
): Promise<Taken | undefined> {
  if (own.doubt !== undefined && !(await settle(store, own, own.doubt, request, quantum()))) {
    return undefined
  }
  const { window } = own
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const at = quantum()
    const born = bornOf(own, at)
    const reported = window.reportOwed()
    const number = nextNumber()
    const answered = await store.take({ ...request, owed: window.aged(reported, at), number, born })
    if (answered?.kind === 'taken') {
      own.born = answered.taken.born
      return answered.taken
    }
    if (answered === undefined) {
      own.doubt = { number, reported }
      return undefined
    }
    forget(own)
  }
  return undefined
}

/** Retries an unanswered call; false if there is no answer again. */
async function settle(
  store: LimitStore,
  own: Own,
  { number, reported, letIn }: Doubt,
  { lineage, cap }: Pick<Taking, 'lineage' | 'cap'>,
  at: number,
): Promise<boolean> {
  const born = bornOf(own, at)
  const owed = own.window.aged(reported, at)
  const [settled = { age: 0, count: 0 }] = own.window.aged(letIn ? [letIn] : [], at)
  const answered = await store.take({ lineage, cap, wanted: 0, owed, number, settled, born })
  if (answered === undefined) return false
  if (answered.kind === 'forgot') forget(own)
  else {
    own.born = answered.taken.born
    own.doubt = undefined
  }
  return true
}

/** Id of the log that Redis must still have; any log will do if this process admitted nothing within the window. */
function bornOf({ window, born }: Own, at: number): string | undefined {
  return window.sumAt(at) === 0 ? undefined : born
}

/** Redis has another log: everything that this process admitted must be reported to it. */
function forget(own: Own): void {
  own.born = undefined
  own.doubt = undefined
  own.window.oweAll()
}

function decideAlone(
  { window, doubt }: Own,
  at: number,
  { share, isOwed }: { share: number; isOwed: boolean },
  requests: readonly PendingRequest[],
): void {
  // Redis may have counted these requests already: they are settled with the unanswered call instead of being owed.
  const isUnsettled = doubt !== undefined && doubt.letIn === undefined
  let count = 0
  for (const { settle } of requests) {
    const isAdmitted = window.sumAt(at) < share
    if (isAdmitted) {
      window.add(at, 1, isOwed && !isUnsettled ? 1 : 0)
      count += 1
    }
    const resetSeconds = secondsOf(window.quantaLeft(at))
    settle({ cap: share, used: window.sumAt(at), resetSeconds, isAdmitted })
  }
  if (isUnsettled) doubt.letIn = { quantum: at, count }
}
