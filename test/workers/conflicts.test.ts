/** Conflicts end to end: the stored versions, the counts, and the list of `swaptide conflicts`. */
import test from 'ava'
import { Registry } from 'prom-client'
import { runCounts } from '../../deploy/ingest/run-counts.ts'
import type { Event } from '../../domain/events/event.ts'
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { listConflicts } from '../../workers/conflicts.ts'
import { assertExact } from '../simulation/judge.ts'
import { SWAP, swapEvent } from '../support/events/sample-event.ts'
import { runHere, settingsOf } from '../support/programs/commands.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../support/workers/pipeline.ts'
import { runWorker } from '../support/workers/running-worker.ts'
import { spawnWorker } from '../support/workers/spawned-worker.ts'

const NONE = {
  ...{ accepted: 0, duplicate: 0, conflict: 0, other: 0, dead: 0 },
  ...{ retracted_swap: 0, retracted_pool_event: 0, dropped_swap: 0, dropped_pool_event: 0 },
}
const FORK = swapEvent({ slot: SWAP.slot + 1, tokenAmount: Number(SWAP.tokenAmount) + 1 })

const POOL_EVENT: PoolEvent = {
  event: 'created',
  signature: SWAP.signature,
  slot: SWAP.slot,
  timestamp: SWAP.timestamp,
  pairAddress: SWAP.pairAddress,
  tokenAddress: SWAP.tokenAddress,
  dex: 1,
  blockTxIndex: 0,
  ixIndex: 0,
}
const poolEvent = (changes: Partial<PoolEvent> = {}): Event => ({
  kind: 'pool_event',
  poolEvent: { ...POOL_EVENT, ...changes },
})

async function deliver(pipeline: Pipeline, run: string, events: readonly Event[]): Promise<void> {
  await publishAll(pipeline, events, { run })
  await untilCaughtUp(pipeline)
}

async function storedSwaps({ db }: Pipeline): Promise<Partial<Swap>[]> {
  const { rows } = await db.query(
    'select slot, token_amount as "tokenAmount" from swap order by slot, token_amount',
  )
  return rows
}

const BOTH: Record<string, Event[][]> = {
  'in a later commit': [[swapEvent()], [FORK]],
  'in the same batch': [[swapEvent({ ixIndex: 7 }), FORK, swapEvent()]],
}

for (const [when, deliveries] of Object.entries(BOTH)) {
  test(`rejects, counts and lists the second version of a fork once, delivered ${when}`, async (t) => {
    const pipeline = await openPipeline(t)
    const metrics = new Registry()
    const worker = await runWorker(t, pipeline, { metrics })
    for (const [index, events] of deliveries.entries()) await deliver(pipeline, `${index}`, events)
    const [stands] = (await storedSwaps(pipeline)).filter(({ slot }) => slot !== undefined)
    t.is((await runCounts(pipeline.db, `${deliveries.length - 1}`)).conflict, 1)
    const conflicts = await listConflicts(pipeline.db, { limit: 10 })
    t.is(conflicts.length, 1)
    t.like(conflicts[0], { kind: 'fork_suspected', event: 'swap', stored_slot: stands?.slot })
    await assertExact(t, pipeline)
    // Another worker, with empty caches, decides the same, and does not list it again.
    await worker.stop()
    await runWorker(t, pipeline, { metrics: new Registry() })
    await deliver(pipeline, 'again', [swapEvent(), FORK])
    t.deepEqual(await runCounts(pipeline.db, 'again'), { ...NONE, duplicate: 1, conflict: 1 })
    t.is((await listConflicts(pipeline.db, { limit: 10 })).length, 1)
    await assertExact(t, pipeline)
    t.regex(
      await metrics.metrics(),
      /^swaptide_conflicts_total\{actor="pool",kind="fork_suspected"\} 1$/m,
    )
  })
}

test('retains the slot that is stored first, however far apart the two are delivered', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  await deliver(pipeline, 'first', [FORK])
  const between = Array.from({ length: 300 }, (_, index) =>
    swapEvent({ slot: SWAP.slot + 10 + index, ixIndex: 1 + index }),
  )
  await deliver(pipeline, 'between', between)
  await deliver(pipeline, 'second', [swapEvent()])
  t.deepEqual(await runCounts(pipeline.db, 'between'), { ...NONE, accepted: 300 })
  t.deepEqual(await runCounts(pipeline.db, 'second'), { ...NONE, conflict: 1 })
  const [conflict] = await listConflicts(pipeline.db, { limit: 10 })
  t.like(conflict, { stored_slot: SWAP.slot + 1, kept_out_slot: SWAP.slot })
  await assertExact(t, pipeline)
})

test('stores several trades of one old transaction, and rejects each second version of them', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const trades = [1, 2, 3].map((more) => ({ tokenAmount: Number(SWAP.tokenAmount) + 10 * more }))
  const inSlot = (slot: number, plus: number) =>
    trades.map(({ tokenAmount }) => swapEvent({ slot, tokenAmount: tokenAmount + plus }))
  await deliver(pipeline, 'first', inSlot(SWAP.slot, 0))
  await deliver(pipeline, 'fork', inSlot(SWAP.slot + 2, 1))
  t.deepEqual(await runCounts(pipeline.db, 'first'), { ...NONE, accepted: 3 })
  t.deepEqual(await runCounts(pipeline.db, 'fork'), { ...NONE, conflict: 3 })
  t.is((await storedSwaps(pipeline)).length, 3)
  t.is((await listConflicts(pipeline.db, { limit: 10 })).length, 3)
  await assertExact(t, pipeline)
})

for (const step of ['folded', 'written', 'committed'] as const) {
  test.serial(`a worker killed at "${step}" of a fork counts and lists it once`, async (t) => {
    const pipeline = await openPipeline(t)
    const doomed = await spawnWorker(t, pipeline, { fault: { step, after: 1, signal: 'SIGKILL' } })
    await deliver(pipeline, 'first', [swapEvent()]).catch(() => {})
    await publishAll(pipeline, [FORK], { run: 'fork' })
    t.is(await doomed.ended, 'SIGKILL')
    await spawnWorker(t, pipeline)
    await untilCaughtUp(pipeline)
    t.deepEqual(await runCounts(pipeline.db, 'fork'), { ...NONE, conflict: 1 })
    t.is((await listConflicts(pipeline.db, { limit: 10 })).length, 1)
    await assertExact(t, pipeline)
  })
}

test('a pool event in another slot is a conflict of its redelivery', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  await deliver(pipeline, 'first', [poolEvent()])
  await deliver(pipeline, 'again', [poolEvent(), poolEvent({ slot: SWAP.slot + 1 })])
  t.deepEqual(await runCounts(pipeline.db, 'again'), { ...NONE, other: 1, conflict: 1 })
  t.like((await listConflicts(pipeline.db, { limit: 10 }))[0], {
    kind: 'redelivery_differs',
    event: 'pool_event',
    stored_slot: SWAP.slot,
    kept_out_slot: SWAP.slot + 1,
  })
  await assertExact(t, pipeline)
})

test('the command lists conflicts by kind, page by page, with both versions digit for digit', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const large = 9_223_372_036_854_775_807n
  await deliver(pipeline, 'first', [swapEvent()])
  await deliver(pipeline, 'second', [swapEvent({ feeBps: 5 })])
  await deliver(pipeline, 'third', [swapEvent({ slot: SWAP.slot + 1, tokenAmount: large })])
  const settings = settingsOf(pipeline)
  const request = async (...options: string[]) => {
    const ran = await runHere(['conflicts', ...options], settings)
    t.is(ran.code, 0, ran.stderr)
    return ran.stdout
  }
  const listed = JSON.parse(await request('--json'))
  t.deepEqual(
    listed.map(({ kind }: { kind: string }) => kind),
    ['fork_suspected', 'redelivery_differs'],
  )
  t.true(listed[0].kept_out.includes(`"token_amount":${large}`))
  t.true(listed[0].stored.includes(`"token_amount":${SWAP.tokenAmount}`))
  const first = await request('--limit', '1')
  t.regex(first, new RegExp(`token_amount ${SWAP.tokenAmount}, ${large}\n`))
  const [, next] = /^the next page: --before (\d+)$/m.exec(first) ?? []
  t.deepEqual(JSON.parse(await request('--json', '--before', `${next}`)), listed.slice(1))
  t.deepEqual(JSON.parse(await request('--json', '--kind', 'redelivery_differs')), listed.slice(1))
  t.regex(await request('--kind', 'redelivery_differs'), /fee_bps 0, 5\n/)
  t.is(await request('--before', '1'), 'no conflicts\n')
  t.regex((await runHere(['status'], settings)).stdout, /, 2 conflicts\n$/)
  const wrong = await runHere(['conflicts', '--kind', 'fork'], settings)
  t.is(wrong.code, 2)
  t.regex(wrong.stderr, /unknown kind "fork": did you mean "fork_suspected"\?/)
})
