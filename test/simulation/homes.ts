/** Installations that are fed the market of a seed, each in its own way, and whose answers are compared. */
import type { ExecutionContext } from 'ava'
import { compareEvents, type Event, type MarketEvent } from '../../domain/events/event.ts'
import { TREND_WINDOWS } from '../../domain/ranking.ts'
import { LEADERBOARD_PERIODS } from '../../domain/wallet/leaderboard.ts'
import { query } from '../../sql/query.ts'
import { Prng } from '../../streams/simulator/prng.ts'
import { simulate } from '../../streams/simulator/simulate.ts'
import { makeRanking } from '../../workers/jobs/leaderboard.ts'
import { refreshScreen } from '../../workers/jobs/screener.ts'
import { walletTags } from '../../workers/jobs/wallet-tags.ts'
import { followSandwiches } from '../../workers/sandwiches/follow.ts'
import { PATIENT_MS } from '../support/api/api-under-test.ts'
import { answersOf } from '../support/api/walk/installation.ts'
import {
  differencesOf,
  shareOf,
  type Walked,
  type WalkRequest,
} from '../support/api/walk/routes.ts'
import { type Subjects, someOf, subjectsOf } from '../support/api/walk/subjects.ts'
import { untilRankingCaughtUp, untilRankingRefreshed } from '../support/ranking/ranking.ts'
import { sizeOf } from '../support/seed.ts'
import { untilLedgerCaughtUp } from '../support/workers/ledger.ts'
import {
  batchesOf,
  openPipeline,
  type Pipeline,
  publishBatches,
  untilCaughtUp,
} from '../support/workers/pipeline.ts'
import { runWorker } from '../support/workers/running-worker.ts'
import { adversarialEvents } from './adversary.ts'
import { BUSY, crowdedMarket } from './crowded-market.ts'

const FROM_MS = Date.parse('2026-08-01T11:00:00Z')
const ACTORS = ['pool', 'ledger', 'ranking']
const SUBJECTS_MAX = 8
/** The share of each route's requests that a run has, chosen by its seed. */
const SHARE = sizeOf({ daily: 1 / 3, long: 1 })
/** Routes that are served from what jobs store, where there is much. */
const PRECOMPUTED = ['getLeaderboard', 'screenTokens']

const mergeKols = query('leaderboard/merge_kols')

/** Ties of places, tokens of one symbol, wallets that trade every mint on several days; nothing contradicts. */
export function marketOf(seed: number): MarketEvent[] {
  const prng = new Prng([seed, 1])
  const events = [
    ...adversarialEvents({ prng, run: seed % 1_000_000 }, 700),
    ...simulate({ seed, swaps: 400, fromMs: FROM_MS, swapsPerSlot: 8 }),
    ...crowdedMarket(prng),
  ]
  const known = new Set<string>()
  return events.filter((event) => {
    if (event.kind === 'token') return true
    const identity = identityOf(event)
    if (known.has(identity)) return false
    known.add(identity)
    return true
  })
}

/** Coarser than that of the contract, so that no event is another version of one before. */
function identityOf(event: Exclude<MarketEvent, { kind: 'token' }>): string {
  if (event.kind === 'pool_event') {
    const { signature, event: kind, pairAddress } = event.poolEvent
    return [signature, kind, pairAddress].join()
  }
  const { signature, dex, pairAddress, user, ixIndex } = event.swap
  return [signature, dex, pairAddress, user, ixIndex].join()
}

/** `rounds`: events come in so many parts, each after the part before was stored. */
export type Home = {
  laneCount: number
  eventsMax: number
  rounds: number
  prng?: Prng
  /** Events after all others, such as retractions. */
  last?: readonly Event[]
  /** Runs after each round, the last events excepted. */
  afterRound?: (pipeline: Pipeline) => Promise<void>
}

/** In another order, one in six twice. */
function shuffled(prng: Prng, events: readonly MarketEvent[]): MarketEvent[] {
  return events
    .flatMap((event) => (prng.chance(0.15) ? [event, event] : [event]))
    .map((event) => ({ event, at: prng.unit() }))
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event)
}

export async function feed(t: ExecutionContext, events: readonly MarketEvent[], home: Home) {
  const pipeline = await openPipeline(t, { laneCount: home.laneCount })
  await runWorker(t, pipeline, { actors: ACTORS })
  const arriving: readonly Event[] =
    home.prng === undefined ? events.toSorted(compareEvents) : shuffled(home.prng, events)
  const share = Math.ceil(arriving.length / home.rounds)
  for (let round = 0; round < home.rounds; round++) {
    const part = arriving.slice(round * share, (round + 1) * share)
    await publishBatches(pipeline, batchesOf(pipeline, part, home.eventsMax))
    await untilCaughtUp(pipeline)
    await home.afterRound?.(pipeline)
  }
  if (home.last !== undefined) {
    await publishBatches(pipeline, batchesOf(pipeline, home.last, home.eventsMax))
    await untilCaughtUp(pipeline)
  }
  await untilLedgerCaughtUp(pipeline, 120_000)
  await untilRankingCaughtUp(pipeline, 120_000)
  await untilRankingRefreshed(pipeline, 120_000)
  return pipeline
}

export function chosenSubjects(events: readonly MarketEvent[]): Subjects {
  const some = someOf(subjectsOf(events), SUBJECTS_MAX)
  return {
    ...some,
    wallets: [...BUSY.wallets, ...some.wallets],
    mints: [...BUSY.mints, ...some.mints],
    pairs: [...BUSY.pairs, ...some.pairs],
    symbols: [...BUSY.symbols, ...some.symbols],
  }
}

/** Stores tags, rankings, screens and KOLs, as jobs and operators do. */
export async function prepare(pipeline: Pipeline, { wallets }: Subjects): Promise<void> {
  const { db } = pipeline
  await mergeKols(db, [wallets, wallets.map((_, n) => `Kol ${n}`), wallets.map(() => null), 'test'])
  const { log } = pipeline.recording
  for (const period of LEADERBOARD_PERIODS) {
    await makeRanking(db, period, { remakeAfterMs: 0, directRowsMax: 0 })
  }
  for (const wallet of wallets)
    await walletTags({ wallet }, { db, log }, AbortSignal.timeout(PATIENT_MS))
  await followSandwiches(db, AbortSignal.timeout(PATIENT_MS))
  // Last: the API serves a screen for a minute.
  for (const window of TREND_WINDOWS) await refreshScreen(db, window, { freshMs: 0 })
}

/** The differences of what two installations answer on every route, also from what jobs store; `seed` chooses the requests. Empty: none. */
export async function differencesOfHomes(
  pipelines: readonly [Pipeline, Pipeline],
  subjects: Subjects,
  seed: number,
): Promise<{ stored: readonly string[]; read: readonly string[]; answers: number }> {
  const [one, other] = [
    await answersOfHome(pipelines[0], subjects, seed),
    await answersOfHome(pipelines[1], subjects, seed),
  ]
  return {
    stored: differencesOf(one.stored, other.stored),
    read: differencesOf(one.read, other.read),
    answers: one.read.size,
  }
}

/** `stored`: answers from what jobs store. */
export async function answersOfHome(
  pipeline: Pipeline,
  subjects: Subjects,
  seed: number,
): Promise<{ stored: Walked; read: Walked }> {
  await prepare(pipeline, subjects)
  const wanted = { directRowsMax: 0, screenedPoolsMax: 0, operationIds: PRECOMPUTED }
  const stored = await answersOf(pipeline, subjects, wanted)
  const prng = new Prng([seed, 4])
  const choose = (requests: readonly WalkRequest[]) => shareOf(requests, SHARE, prng)
  return { stored, read: await answersOf(pipeline, subjects, { choose }) }
}
