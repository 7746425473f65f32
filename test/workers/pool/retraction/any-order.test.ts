/**
 * A history with retracted blocks, in any order of arrival and with workers that die, equals the history without these
 * blocks, in every table, by the hashes of verify.
 */

import test, { type ExecutionContext } from 'ava'
import {
  type ChainEvent,
  type Event,
  isChainEvent,
  type MarketEvent,
  timestampOf,
} from '../../../../domain/events/event.ts'
import type { Retraction } from '../../../../domain/events/retraction.ts'
import { DAY_MS } from '../../../../domain/time/time-bucket.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { ACTOR_NAMES } from '../../../../workers/actors.ts'
import { adversarialEvents } from '../../../simulation/adversary.ts'
import { poolOf } from '../../../support/events/sample-event.ts'
import { untilRankingCaughtUp } from '../../../support/ranking/ranking.ts'
import { freshSeed, requestedSeed, seedsOf } from '../../../support/seed.ts'
import { verifiedHashes } from '../../../support/verify/hashes.ts'
import { ledgerLagOf, untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { spawnWorker, untilTaken } from '../../../support/workers/spawned-worker.ts'

const SWAPS = 400
/** Slots with a retracted block, of the 24 of the generator. */
const RETRACTED = 7
const FRESH_SEEDS = { daily: 1, long: 6 }
/** Retractions whose events are stored before they are published; the others come at any time. */
const STORED_MAX = 3

type History = {
  /** In an order of arrival; some of retracted blocks come again. */
  arriving: Event[]
  /** Events of the other blocks. */
  remaining: MarketEvent[]
}

/** Midnight of the day from which on migrated pools are corrected. */
const MIDNIGHT_MS = Date.parse('2026-07-15T00:00:00Z')

/** The same event on one of two days, which a retraction may take back. */
function recent(event: MarketEvent): MarketEvent {
  const timestamp = MIDNIGHT_MS - DAY_MS / 2 + ((timestampOf(event) ?? 0) % DAY_MS)
  if (event.kind === 'swap') return { kind: 'swap', swap: { ...event.swap, timestamp } }
  if (event.kind !== 'pool_event') return event
  return { kind: 'pool_event', poolEvent: { ...event.poolEvent, timestamp } }
}

function slotOf(event: MarketEvent): number {
  if (event.kind === 'swap') return event.swap.slot
  return event.kind === 'pool_event' ? event.poolEvent.slot : -1
}

/** The place in its transaction: of two events of one place the first would be stored, and order would matter. */
function positionOf(event: MarketEvent): string {
  if (event.kind === 'token') return JSON.stringify(event.token, (_, value) => `${value}`)
  if (event.kind === 'pool_event') {
    const { signature, event: kind, pairAddress, ixIndex } = event.poolEvent
    return [signature, kind, pairAddress, ixIndex].join()
  }
  const { signature, dex, ixIndex, pairAddress, user, isBuy } = event.swap
  return [signature, dex, ixIndex, pairAddress, user, isBuy].join()
}

type Position = { slot?: number; blockhash?: string | undefined; blockTxIndex?: number }

/** The same event elsewhere. */
function at<E extends MarketEvent>(event: E, position: Position): MarketEvent {
  if (event.kind === 'swap') return { kind: 'swap', swap: { ...event.swap, ...position } }
  if (event.kind !== 'pool_event') return event
  return { kind: 'pool_event', poolEvent: { ...event.poolEvent, ...position } }
}

/** With other amounts, as a transaction may have in the other block of its slot. */
function changed(event: ChainEvent, prng: Prng): ChainEvent {
  if (event.kind !== 'swap' || prng.chance(0.5)) return event
  return { kind: 'swap', swap: { ...event.swap, solAmount: 1 + prng.below(1_000_000) } }
}

const hashOf = (slot: number, branch: number): string => poolOf(1_000_000 + 2 * slot + branch)

/** Events that arrive of a slot with a retracted block, and those that are left of it. */
type Retracted = { arriving: Event[]; left: MarketEvent[] }

/** No event names its block, or the retraction names none: all of the slot leaves, until it lands in another slot. */
function retractedWhole(prng: Prng, slot: number, own: ChainEvent[], others: number[]): Retracted {
  const isNamed = prng.chance(0.5)
  const gone = own.map((event) =>
    isNamed && prng.chance(0.5) ? at(event, { blockhash: hashOf(slot, 0) }) : event,
  )
  const left = gone
    .filter(() => prng.chance(0.3))
    .map((event) => at(event, { slot: others[prng.below(others.length)]!, blockhash: undefined }))
  return { arriving: [...gone, ...left, { kind: 'retract', retraction: { slot } }], left }
}

/**
 * One of two blocks of the slot leaves; transactions of both are stored first in one or the other. Some events also come
 * without their block.
 */
function retractedBlock(prng: Prng, slot: number, own: ChainEvent[]): Retracted {
  const [gone, other] = [hashOf(slot, 0), hashOf(slot, 1)]
  const left = own
    .filter(() => prng.chance(0.6))
    .map((event) => at(changed(event, prng), { blockhash: other, blockTxIndex: prng.below(1_000) }))
  const named = [...own.map((event) => at(event, { blockhash: gone })), ...left]
  const unnamed = named
    .filter(() => prng.chance(0.4))
    .map((event) => at(event, { blockhash: undefined }))
  const retraction = { kind: 'retract' as const, retraction: { slot, blockhash: gone } }
  return { arriving: [...named, ...unnamed, retraction], left }
}

/** Sources differ in whether they state the rates of fees outside the legs, not in what these are. */
function withRates<Arriving extends Event>(event: Arriving): Arriving {
  if (event.kind !== 'swap' || event.swap.slot % 2 === 0) return event
  return { ...event, swap: { ...event.swap, outsideProtocolBps: 5, outsideCreatorBps: 30 } }
}

function withoutRates<Arriving extends Event>(event: Arriving): Arriving {
  if (event.kind !== 'swap') return event
  const swap = { ...event.swap, outsideProtocolBps: undefined, outsideCreatorBps: undefined }
  return { ...event, swap }
}

function historyOf(seed: number): History {
  const prng = new Prng([seed, 37])
  const drawn = adversarialEvents({ prng, run: seed }, SWAPS).map(recent).map(withRates)
  const events = [...new Map(drawn.map((event) => [positionOf(event), event])).values()]
  const slots = [...new Set(events.map(slotOf))].filter((slot) => slot >= 0).sort((a, b) => a - b)
  const retracted = new Set(shuffled(prng, slots).slice(0, RETRACTED))
  const others = slots.filter((slot) => !retracted.has(slot))
  const parts = [...retracted].map((slot) => {
    const own = events.filter(isChainEvent).filter((event) => slotOf(event) === slot)
    return prng.chance(0.5)
      ? retractedWhole(prng, slot, own, others)
      : retractedBlock(prng, slot, own)
  })
  const rest = events.filter((event) => !retracted.has(slotOf(event)))
  const came = parts.flatMap(({ arriving }) => arriving)
  const again = came
    .filter((event) => event.kind === 'retract' || prng.chance(0.3))
    .map((event) => (prng.chance(0.5) ? withoutRates(event) : event))
  return {
    arriving: shuffled(prng, [...rest, ...came, ...again]),
    remaining: [...rest, ...parts.flatMap(({ left }) => left)],
  }
}

function shuffled<Value>(prng: Prng, values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, place: prng.below(1_000_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}

/** Whether a retraction takes the event back if it was stored as it is here. */
function isTaken(event: Event, { slot, blockhash }: Retraction): boolean {
  if (event.kind !== 'swap' || event.swap.slot !== slot) return false
  return blockhash === undefined || event.swap.blockhash === blockhash
}

/**
 * Small messages; what comes before a retraction is published before it, and before the first `storedMax` of them also
 * stored: workers that read both at once store nothing that is retracted.
 */
async function publish(pipeline: Pipeline, arriving: readonly Event[], storedMax = 0) {
  let run: Event[] = []
  let storedCount = 0
  for (const [index, each] of arriving.entries()) {
    if (each.kind !== 'retract') {
      run.push(each)
      continue
    }
    await publishAll(pipeline, run, { eventsMax: 7 })
    run = []
    const came = arriving.slice(0, index)
    if (storedCount < storedMax && came.some((event) => isTaken(event, each.retraction))) {
      storedCount++
      await untilCaughtUp(pipeline)
    }
    await publishAll(pipeline, [each])
  }
  await publishAll(pipeline, run, { eventsMax: 7 })
}

async function untilAllCaughtUp(pipeline: Pipeline): Promise<void> {
  await untilLedgerCaughtUp(pipeline, 120_000)
  await untilRankingCaughtUp(pipeline, 120_000)
  await untilLedgerCaughtUp(pipeline, 120_000)
}

/** Hashes by table, where no event was refused. */
async function hashesOf(t: ExecutionContext, pipeline: Pipeline, hint: string) {
  const hashes = await verifiedHashes(t, pipeline, { hint })
  const dead = await pipeline.db.query<{ reason: string }>('select reason from dead_letter')
  t.deepEqual(dead.rows, [], hint)
  return hashes
}

/** The tables of a history that never had the retracted blocks. */
async function expectedHashes(t: ExecutionContext, { remaining }: History, hint: string) {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  const inOrder = remaining.toSorted((a, b) => (timestampOf(a) ?? 0) - (timestampOf(b) ?? 0))
  await publishAll(pipeline, inOrder)
  await untilAllCaughtUp(pipeline)
  const hashes = await hashesOf(t, pipeline, hint)
  await worker.stop()
  return hashes
}

for (const seed of seedsOf('retraction', FRESH_SEEDS)) {
  test.serial(
    `the history of seed ${seed} equals the one without its retracted blocks`,
    async (t) => {
      const hint = `(again: SIMULATION_SEED=${seed})`
      const history = historyOf(seed)
      const pipeline = await openPipeline(t)
      await runWorker(t, pipeline, { actors: ACTOR_NAMES })
      await publish(pipeline, history.arriving, STORED_MAX)
      await untilAllCaughtUp(pipeline)
      const hashes = await hashesOf(t, pipeline, hint)
      t.deepEqual(hashes, await expectedHashes(t, history, hint), hint)
      const { rows } = await pipeline.db.query('select from retracted_swap')
      t.true(rows.length > 0, 'something was stored before it was retracted')
    },
  )
}

/** Parts of what is published for each killed worker. */
const PIECES = 8
const STEPS = ['pulled', 'folded', 'written', 'committed', 'published'] as const

test.serial('workers that die at any step of a retraction leave the same tables', async (t) => {
  const seed = requestedSeed() ?? freshSeed()
  const hint = `(again: SIMULATION_SEED=${seed})`
  const history = historyOf(seed)
  const pipeline = await openPipeline(t)
  const share = Math.ceil(history.arriving.length / STEPS.length)
  for (const [index, step] of STEPS.entries()) {
    const doomed = await spawnWorker(t, pipeline, {
      actors: ACTOR_NAMES,
      fault: { step, after: 12, signal: 'SIGKILL' },
    })
    // A slow worker commits all waiting events at once: in pieces, each kind of step occurs often enough.
    const piece = Math.ceil(share / PIECES)
    for (let from = index * share; from < (index + 1) * share; from += piece) {
      await publish(
        pipeline,
        history.arriving.slice(from, Math.min(from + piece, (index + 1) * share)),
      )
      await untilTaken(pipeline, { worker: doomed, lag: ledgerLagOf })
    }
    t.is(await doomed.ended, 'SIGKILL')
  }
  await spawnWorker(t, pipeline, { actors: ACTOR_NAMES })
  await untilAllCaughtUp(pipeline)
  t.deepEqual(await hashesOf(t, pipeline, hint), await expectedHashes(t, history, hint), hint)
})
