/**
 * The installation whose answers are the examples of the documents: a simulated market with a past, the same at every run,
 * that every worker has read, with what operators and sources of chain data store with it.
 */
import type { ExecutionContext } from 'ava'
import { addCoverage } from '../../../deploy/chain/coverage.ts'
import { ALL_VENUE_BITS } from '../../../domain/coverage.ts'
import { compareEvents, type Event } from '../../../domain/events/event.ts'
import type { Retraction } from '../../../domain/events/retraction.ts'
import { greatestOf } from '../../../domain/numbers/extremes.ts'
import { TREND_WINDOWS } from '../../../domain/ranking.ts'
import { LEADERBOARD_PERIODS } from '../../../domain/wallet/leaderboard.ts'
import { beatSource } from '../../../sql/chain/sources.ts'
import { encodeEventBatch } from '../../../streams/codec/event-codec.ts'
import { swapSubject } from '../../../streams/nats/subject.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { makeRanking } from '../../../workers/jobs/leaderboard.ts'
import { refreshScreen } from '../../../workers/jobs/screener.ts'
import { walletTags } from '../../../workers/jobs/wallet-tags.ts'
import { followSandwiches } from '../../../workers/sandwiches/follow.ts'
import { sourceBeat } from '../chain/source-beat.ts'
import { FormulaPool } from '../market/formula-pool.ts'
import { signatureOf, trader } from '../market/sample-swap.ts'
import { untilRankingCaughtUp, untilRankingRefreshed } from '../ranking/ranking.ts'
import { untilLedgerCaughtUp } from '../workers/ledger.ts'
import { openPipeline, type Pipeline, publishAll, untilCaughtUp } from '../workers/pipeline.ts'
import { runWorker } from '../workers/running-worker.ts'

const FROM_MS = Date.parse('2026-08-01T11:00:00Z')
const MARKET = { seed: 7, swaps: 2_500, fromMs: FROM_MS, swapsPerSlot: 0.4 }
const PAST = { swaps: 1_000, days: 3 }
/** Milliseconds from the newest swap to the time of the requests. */
const LATER_MS = 30_000
const BLOCKHASH = '5bCNJfT2m3yDoYPXiZJMNyw4SFGKw3BUnLPwFVqHa3fo'
const BOUND_MS = 120_000
const SOL = 1_000_000_000n
/** Number of the pool with sandwiches, and the first of its wallets and signatures. */
const SANDWICHED = 800_000
/** Wallets whose tags are computed. */
const TAGGED = 40

type DemoMarket = {
  pipeline: Pipeline
  /** Time of the requests, Unix ms. */
  nowMs: number
  stopWorker(): Promise<void>
}

export async function openDemoMarket(t: ExecutionContext): Promise<DemoMarket> {
  const simulated = [...simulate({ ...MARKET, past: PAST })].sort(compareEvents)
  const events = [...simulated, ...sandwichEvents(simulated)].sort(compareEvents)
  const pipeline = await openPipeline(t, { laneCount: 1 })
  const worker = await runWorker(t, pipeline, { actors: ['pool', 'ledger', 'ranking'] })
  await publishAll(pipeline, events)
  await publishPoison(pipeline, events)
  await untilCaughtUp(pipeline)
  for (const retraction of retractionsOf(events)) {
    await publishAll(pipeline, [{ kind: 'retract', retraction }])
    await untilCaughtUp(pipeline)
  }
  await untilLedgerCaughtUp(pipeline, BOUND_MS)
  await untilRankingCaughtUp(pipeline, BOUND_MS)
  await untilRankingRefreshed(pipeline, BOUND_MS)
  const swaps = events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
  const newestMs = greatestOf(swaps.map(({ timestamp }) => timestamp)) ?? FROM_MS
  await storeBeside(pipeline, {
    slot: greatestOf(swaps.map(({ slot }) => slot)) ?? 0,
    wallets: [...new Set(swaps.toReversed().map(({ user }) => user))].slice(0, TAGGED),
  })
  return { pipeline, nowMs: newestMs + LATER_MS, stopWorker: () => worker.stop() }
}

/** A pool in which one wallet attacks twice, in the middle of the market. */
function sandwichEvents(simulated: readonly Event[]): Event[] {
  const swaps = simulated.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
  const pool = new FormulaPool({ sol: 500n * SOL, tokens: 10n ** 15n, dex: 3, pair: SANDWICHED })
  return [1, 2].flatMap((n) => {
    const near = swaps[Math.floor(swaps.length / 2) + 20 * n]
    if (near === undefined) throw new Error('the market has too few swaps')
    const { slot, timestamp } = near
    const stamp = (at: number, user: string) => ({
      ...{ slot, timestamp, user, blockTxIndex: 40 + at },
      signature: signatureOf(SANDWICHED + 10 * n + at),
    })
    const front = pool.buy(5n * SOL, stamp(1, trader(SANDWICHED)))
    const victim = pool.buy(3n * SOL, stamp(2, trader(SANDWICHED + n)))
    const back = pool.sell(BigInt(front.tokenAmount), stamp(3, trader(SANDWICHED)))
    return [front, victim, back].map((swap): Event => ({ kind: 'swap', swap }))
  })
}

/** The last two blocks but one left the chain. */
function retractionsOf(events: readonly Event[]): Retraction[] {
  const slots = events.flatMap((event) => (event.kind === 'swap' ? [event.swap.slot] : []))
  return [...new Set(slots)].slice(-3, -1).map((slot) => ({ slot, blockhash: BLOCKHASH }))
}

/** Two swaps that the pool actor rejects, which become dead letters. */
async function publishPoison(pipeline: Pipeline, events: readonly Event[]): Promise<void> {
  const { jetStream, prefix, laneCount } = pipeline
  const good = events.findLast((event) => event.kind === 'swap')
  if (good === undefined) throw new Error('the market has no swap')
  const bad: Event = { kind: 'swap', swap: { ...good.swap, signature: 'tooShort' } }
  await jetStream.publish(swapSubject(prefix, good, laneCount), encodeEventBatch([bad, bad]))
}

/** Tags, rankings, screens and sandwiches of jobs, and the progress of a source of chain data. */
async function storeBeside(
  { db, recording: { log } }: Pipeline,
  { slot, wallets }: { slot: number; wallets: readonly string[] },
): Promise<void> {
  for (const wallet of wallets)
    await walletTags({ wallet }, { db, log }, AbortSignal.timeout(BOUND_MS))
  for (const period of LEADERBOARD_PERIODS) {
    await makeRanking(db, period, { remakeAfterMs: 0, directRowsMax: 0 })
  }
  for (const window of TREND_WINDOWS) await refreshScreen(db, window, { freshMs: 0 })
  await followSandwiches(db, AbortSignal.timeout(BOUND_MS))
  const key = { venues: ALL_VENUE_BITS, decoderVersion: 1, source: 'rpc', commitment: 'confirmed' }
  const block = { slot, blockhash: BLOCKHASH, swaps: 1 }
  await addCoverage(db, key, { from: slot - 2_000, to: slot - 1_000 }, [])
  await addCoverage(db, key, { from: slot - 900, to: slot }, [block])
  await beatSource(db, sourceBeat({ cursor_slot: slot, newest_slot: slot + 3 }))
}
