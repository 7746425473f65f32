/**
 * Sliding-window rate limiter over 60 s, exact across processes. One window per key lineage in Redis.
 *
 * ```
 * asks of one turn of the event loop -> one script a lineage, one write -> let in, first come first
 * far below its cap              -> who asks is as good as let in (hasRoom), and told all the same
 * Redis away -> this process's own window, with its share of the cap; told to Redis when it is back
 * ```
 * Law: never an outage: without Redis a request waits some milliseconds at most, and after a few failures
 * not at all. A process keeps what it let in itself, so that neither Redis's absence nor its forgetting
 * doubles a quota. What Redis did not answer in time it may have counted: it is asked that once more under the
 * same number, and nothing else of the lineage before, so that nothing counts twice.
 */

import { LRUCache } from 'lru-cache'
import type { Quota } from '../../routing/caller.ts'
import type { LimitStore, Taken, Taking } from './limit-store.ts'
import { QUANTUM_MS, type ReportedCount, RollingWindow, WINDOW_QUANTA } from './rolling-window.ts'

export type RateLimitDecision = Quota & { isAdmitted: boolean }

export type Limiter = {
  /** Counts one request if it may go on. */
  take(lineage: string, cap: number): Promise<RateLimitDecision>
  /**
   * Whether the lineage stood so far below its cap when it was last heard of that its next request, too, is as good
   * as let in. No verdict: what is begun on its word has to be given up where that says no.
   */
  hasRoom(lineage: string, cap: number): boolean
  /** Whether the last that asked went without Redis. */
  isDegraded(): boolean
  end(): void
}

export type LimiterSources = {
  /** Absent: the process counts alone. */
  store?: LimitStore | undefined
  /** Live processes of the API, for their share of a cap while Redis is away. */
  instances: () => number
  /** Milliseconds of a clock that does not go back. */
  now: () => number
  /** That of the store; absent: 60 s. */
  windowQuanta?: number
}

/** Lineages remembered at once; beyond, the one asked for longest ago is forgotten. */
const LINEAGES_MAX = 10_000
/** Times that a batch is asked for: Redis may have forgotten once. */
const TRIES_MAX = 2
/** Share of a cap up to which a lineage has room. */
const ROOMY_SHARE = 0.5
const SECOND_QUANTA = 1_000 / QUANTUM_MS
const WINDOW_SECONDS_MAX = WINDOW_QUANTA / SECOND_QUANTA

/**
 * An asking that Redis did not answer: it has counted, will count, or never came there. `letIn`: of those it
 * wanted, what the process then let in by itself; absent until it has decided.
 */
type Doubt = { number: number; told: readonly ReportedCount[]; letIn?: ReportedCount }
/**
 * What this process let in, of which log in Redis it last heard, and what it does not know of it; the sum of all
 * processes when it last heard, and how many ask just now.
 */
type Own = {
  window: RollingWindow
  born?: string | undefined
  doubt?: Doubt | undefined
  heard?: number
  asking: number
}
type Ask = { cap: number; settle: (verdict: RateLimitDecision) => void }
type Batch = { own: Own; asks: Ask[] }

export function createLimiter(sources: LimiterSources): Limiter {
  const { store, instances, now, windowQuanta } = sources
  const owns = createOwns(windowQuanta)
  const quantum = (): number => Math.floor(now() / QUANTUM_MS)
  let batches = new Map<string, Batch>()
  let isAsking = false
  let isDegraded = false
  let number = 0

  const decide = async (lineage: string, { own, asks }: Batch): Promise<void> => {
    const { cap } = asks[0] as Ask
    const asked = { lineage, cap, wanted: asks.length }
    const taken = store && (await askStore(store, own, asked, quantum, () => ++number))
    own.asking -= asks.length
    isDegraded = store !== undefined && taken === undefined
    const at = quantum()
    if (taken === undefined) {
      const share = store === undefined ? cap : Math.max(1, Math.floor(cap / instances()))
      decideAlone(own, at, { share, isOwed: store !== undefined }, asks)
      return
    }
    own.heard = taken.sum
    if (taken.admitted > 0) own.window.add(at, taken.admitted)
    const resetSeconds = secondsOf(taken.quantaLeft)
    const before = taken.sum - taken.admitted
    asks.forEach(({ settle }, index) => {
      const isAdmitted = index < taken.admitted
      settle({ cap, used: before + Math.min(index + 1, taken.admitted), resetSeconds, isAdmitted })
    })
  }

  const flush = async (): Promise<void> => {
    isAsking = true
    while (batches.size > 0) {
      const gathered = batches
      batches = new Map()
      const decided: Promise<void>[] = []
      const decideAll = (): void => {
        for (const [lineage, batch] of gathered) decided.push(decide(lineage, batch))
      }
      if (store === undefined) decideAll()
      else store.together(decideAll)
      await Promise.all(decided)
    }
    isAsking = false
  }

  return {
    take(lineage, cap) {
      return new Promise((settle) => {
        // What comes in one turn of the event loop is asked together, at its end; what comes while Redis is
        // asked, with the next: the busier, the fewer questions.
        if (batches.size === 0 && !isAsking) setImmediate(flush)
        const batch = batches.get(lineage) ?? { own: owns.of(lineage), asks: [] }
        if (batch.asks.length === 0) batches.set(lineage, batch)
        batch.asks.push({ cap, settle })
        batch.own.asking += 1
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
      const made = { window: new RollingWindow(windowQuanta), asking: 0 }
      owns.set(lineage, made)
      return made
    },
    hasRoom(lineage: string, cap: number): boolean {
      const { heard = cap, asking = 0 } = owns.peek(lineage) ?? {}
      return heard + asking < ROOMY_SHARE * cap
    },
  }
}

/** Rounded up; what counts until its quantum ends does so no longer than the window for whoever reads seconds. */
function secondsOf(quanta: number): number {
  return Math.min(WINDOW_SECONDS_MAX, Math.ceil(quanta / SECOND_QUANTA))
}

/** What Redis answers; undefined without an answer. */
async function askStore(
  store: LimitStore,
  own: Own,
  asked: Pick<Taking, 'lineage' | 'cap' | 'wanted'>,
  quantum: () => number,
  nextNumber: () => number,
): Promise<Taken | undefined> {
  if (own.doubt !== undefined && !(await settle(store, own, own.doubt, asked, quantum()))) {
    return undefined
  }
  const { window } = own
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const at = quantum()
    const born = bornOf(own, at)
    const told = window.tell()
    const number = nextNumber()
    const answered = await store.take({ ...asked, owed: window.aged(told, at), number, born })
    if (answered?.kind === 'taken') {
      own.born = answered.taken.born
      return answered.taken
    }
    if (answered === undefined) {
      own.doubt = { number, told }
      return undefined
    }
    forget(own)
  }
  return undefined
}

/** Says again what was not answered; false where it is not answered again. */
async function settle(
  store: LimitStore,
  own: Own,
  { number, told, letIn }: Doubt,
  { lineage, cap }: Pick<Taking, 'lineage' | 'cap'>,
  at: number,
): Promise<boolean> {
  const born = bornOf(own, at)
  const owed = own.window.aged(told, at)
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

/** The log that has to be there: who let nobody in lately takes any. */
function bornOf({ window, born }: Own, at: number): string | undefined {
  return window.sumAt(at) === 0 ? undefined : born
}

/** Redis has another log: all that this process let in is owed to it. */
function forget(own: Own): void {
  own.born = undefined
  own.doubt = undefined
  own.window.oweAll()
}

function decideAlone(
  { window, doubt }: Own,
  at: number,
  { share, isOwed }: { share: number; isOwed: boolean },
  asks: readonly Ask[],
): void {
  // Those that Redis was asked for it may have counted: they are said with that asking.
  const isAsked = doubt !== undefined && doubt.letIn === undefined
  let count = 0
  for (const { settle } of asks) {
    const isAdmitted = window.sumAt(at) < share
    if (isAdmitted) {
      window.add(at, 1, isOwed && !isAsked ? 1 : 0)
      count += 1
    }
    const resetSeconds = secondsOf(window.quantaLeft(at))
    settle({ cap: share, used: window.sumAt(at), resetSeconds, isAdmitted })
  }
  if (isAsked) doubt.letIn = { quantum: at, count }
}
