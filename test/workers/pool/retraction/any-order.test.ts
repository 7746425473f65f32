/**
 * A history with retracted slots, in any order of arrival and with workers that die, equals the history without these
 * slots, in every table, by the hashes of verify.
 */
import test, { type ExecutionContext } from 'ava'
import { type Event, timestampOf } from '../../../../domain/events/event.ts'
import type { Retraction } from '../../../../domain/events/retraction.ts'
import { DAY_MS } from '../../../../domain/time/time-bucket.ts'
import { publishRetractions } from '../../../../streams/ingest/publisher.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { verify } from '../../../../workers/verify/verify.ts'
import { adversarialEvents } from '../../../simulation/adversary.ts'
import { untilRankingCaughtUp } from '../../../support/ranking/ranking.ts'
import { askedSeed } from '../../../support/seed.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import { openPipeline, type Pipeline, publishAll } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { spawnWorker } from '../../../support/workers/spawned-worker.ts'

const ACTORS = ['pool', 'ledger', 'ranking']
const SWAPS = 400
/** Retracted slots, of the 24 of the generator. */
const RETRACTED = 7
const FRESH_SEEDS = 3

type History = {
  /** In an order of arrival; some of retracted slots come again. */
  arriving: (Event | Retraction)[]
  /** Those of the other slots. */
  remaining: Event[]
}

/** Midnight of the day from which on migrated pools are corrected. */
const MIDNIGHT_MS = Date.parse('2026-07-15T00:00:00Z')

/** The same event on one of two days, which a retraction may take back. */
function recent(event: Event): Event {
  const timestamp = MIDNIGHT_MS - DAY_MS / 2 + ((timestampOf(event) ?? 0) % DAY_MS)
  if (event.kind === 'swap') return { kind: 'swap', swap: { ...event.swap, timestamp } }
  if (event.kind !== 'pool_event') return event
  return { kind: 'pool_event', poolEvent: { ...event.poolEvent, timestamp } }
}

const isRetraction = (each: Event | Retraction): each is Retraction => !('kind' in each)

function slotOf(event: Event): number {
  if (event.kind === 'swap') return event.swap.slot
  return event.kind === 'pool_event' ? event.poolEvent.slot : -1
}

/** The place in its transaction: of two events of one place the first would be stored, and order would matter. */
function placeOf(event: Event): string {
  if (event.kind === 'token') return JSON.stringify(event.token, (_, value) => `${value}`)
  if (event.kind === 'pool_event') {
    const { signature, event: kind, pairAddress, ixIndex } = event.poolEvent
    return [signature, kind, pairAddress, ixIndex].join()
  }
  const { signature, dex, ixIndex, pairAddress, user, isBuy } = event.swap
  return [signature, dex, ixIndex, pairAddress, user, isBuy].join()
}

function at(event: Event, slot: number): Event {
  if (event.kind === 'swap') return { kind: 'swap', swap: { ...event.swap, slot } }
  if (event.kind !== 'pool_event') return event
  return { kind: 'pool_event', poolEvent: { ...event.poolEvent, slot } }
}

function historyOf(seed: number): History {
  const prng = new Prng([seed, 37])
  const drawn = adversarialEvents({ prng, run: seed }, SWAPS).map(recent)
  const events = [...new Map(drawn.map((event) => [placeOf(event), event])).values()]
  const slots = [...new Set(events.map(slotOf))].filter((slot) => slot >= 0).sort((a, b) => a - b)
  const retracted = new Set(shuffled(prng, slots).slice(0, RETRACTED))
  const kept = slots.filter((slot) => !retracted.has(slot))
  const gone = events.filter((event) => retracted.has(slotOf(event)))
  // The transaction of a block that left the chain comes again in another one.
  const landed = gone
    .filter(() => prng.chance(0.3))
    .map((event) => at(event, kept[prng.below(kept.length)]!))
  const again = gone.filter(() => prng.chance(0.3))
  const retractions = [...retracted].map((slot): Retraction => ({ slot, blockhash: undefined }))
  return {
    arriving: shuffled(prng, [...events, ...landed, ...again, ...retractions, ...retractions]),
    remaining: [...events.filter((event) => !retracted.has(slotOf(event))), ...landed],
  }
}

function shuffled<Value>(prng: Prng, values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, place: prng.below(1_000_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}

async function publish(pipeline: Pipeline, arriving: readonly (Event | Retraction)[]) {
  let run: Event[] = []
  for (const each of arriving) {
    if (!isRetraction(each)) {
      run.push(each)
      continue
    }
    await publishAll(pipeline, run, { eventsMax: 7 })
    run = []
    await publishRetractions(pipeline.jetStream, pipeline.topology, [each])
  }
  await publishAll(pipeline, run, { eventsMax: 7 })
}

async function untilAllCaughtUp(pipeline: Pipeline): Promise<void> {
  await untilLedgerCaughtUp(pipeline, 120_000)
  await untilRankingCaughtUp(pipeline, 120_000)
  await untilLedgerCaughtUp(pipeline, 120_000)
}

/** Hashes by table, where verify finds no difference. */
async function hashesOf(t: ExecutionContext, pipeline: Pipeline, hint: string) {
  const { tables } = await verify(pipeline.db, { log: pipeline.recording.log })
  t.deepEqual(
    tables.flatMap(({ name, differences }) => differences.map((each) => `${name}: ${each}`)),
    [],
    hint,
  )
  const dead = await pipeline.db.query<{ reason: string }>('select reason from dead_letter')
  t.deepEqual(dead.rows, [], hint)
  return Object.fromEntries(tables.map(({ name, rows, stored }) => [name, `${rows} ${stored}`]))
}

/** The tables of a history that never had the retracted slots. */
async function expectedHashes(t: ExecutionContext, { remaining }: History, hint: string) {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline, { actors: ACTORS })
  const inOrder = remaining.toSorted((a, b) => (timestampOf(a) ?? 0) - (timestampOf(b) ?? 0))
  await publishAll(pipeline, inOrder)
  await untilAllCaughtUp(pipeline)
  const hashes = await hashesOf(t, pipeline, hint)
  await worker.stop()
  return hashes
}

const fresh = Date.now() % 1_000_000_000
const asked = askedSeed()
const seeds =
  asked === undefined ? Array.from({ length: FRESH_SEEDS }, (_, index) => fresh + index) : [asked]

for (const seed of seeds) {
  test.serial(
    `the history of seed ${seed} equals the one without its retracted slots`,
    async (t) => {
      const hint = `(again: SIMULATION_SEED=${seed})`
      const history = historyOf(seed)
      const pipeline = await openPipeline(t)
      await runWorker(t, pipeline, { actors: ACTORS })
      await publish(pipeline, history.arriving)
      await untilAllCaughtUp(pipeline)
      const hashes = await hashesOf(t, pipeline, hint)
      t.deepEqual(hashes, await expectedHashes(t, history, hint), hint)
      const { rows } = await pipeline.db.query('select from retracted_swap')
      t.true(rows.length > 0, 'something was stored before it was retracted')
    },
  )
}

const STEPS = ['pulled', 'folded', 'written', 'committed', 'published'] as const

test.serial('workers that die at any step of a retraction leave the same tables', async (t) => {
  const seed = asked ?? fresh
  const hint = `(again: SIMULATION_SEED=${seed})`
  const history = historyOf(seed)
  const pipeline = await openPipeline(t)
  const share = Math.ceil(history.arriving.length / STEPS.length)
  for (const [index, step] of STEPS.entries()) {
    const doomed = await spawnWorker(t, pipeline, {
      actors: ACTORS,
      fault: { step, after: 12, signal: 'SIGKILL' },
    })
    await publish(pipeline, history.arriving.slice(index * share, (index + 1) * share))
    t.is(await doomed.ended, 'SIGKILL')
  }
  await spawnWorker(t, pipeline, { actors: ACTORS })
  await untilAllCaughtUp(pipeline)
  t.deepEqual(await hashesOf(t, pipeline, hint), await expectedHashes(t, history, hint), hint)
})
