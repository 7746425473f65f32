/**
 * Events that came without their block and again with it: the tables equal those of a history in which each named its
 * block from the beginning, whatever the order of the deliveries and of a retraction of this or of the other block.
 */
import test, { type ExecutionContext } from 'ava'
import type { Event, MarketEvent } from '../../../../domain/events/event.ts'
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import { poolOf, SWAP, swapEvent } from '../../../support/events/sample-event.ts'
import { verifiedHashes } from '../../../support/verify/hashes.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { spawnWorker } from '../../../support/workers/spawned-worker.ts'

type Delivery = 'unnamed' | 'named' | 'retraction'

const ORDERS: readonly (readonly Delivery[])[] = [
  ['unnamed', 'named', 'retraction'],
  ['unnamed', 'retraction', 'named'],
  ['named', 'unnamed', 'retraction'],
  ['named', 'retraction', 'unnamed'],
  ['retraction', 'unnamed', 'named'],
  ['retraction', 'named', 'unnamed'],
]

/** One slot with two blocks, of which `retracted` leaves the chain; the events are of the first. */
type Case = { number: number; order: readonly Delivery[]; retracted: 'own' | 'other' }

const CASES: readonly Case[] = ORDERS.flatMap((order) =>
  (['own', 'other'] as const).map((retracted) => ({ order, retracted })),
).map((each, number) => ({ ...each, number }))

const slotOf = ({ number }: Case): number => 1_000 + 10 * number
const hashOf = ({ number }: Case, block: 'own' | 'other'): string =>
  poolOf(5_000 + 2 * number + (block === 'own' ? 0 : 1))

/** Two swaps and a change of liquidity of a pool of the case's own. */
function eventsOf(each: Case, blockhash: string | undefined): MarketEvent[] {
  const position = {
    pairAddress: poolOf(each.number),
    slot: slotOf(each),
    timestamp: SWAP.timestamp + 400 * slotOf(each),
    signature: encodeBase58(new Uint8Array(64).fill(each.number + 1)),
    ...(blockhash === undefined ? {} : { blockhash }),
  }
  const { tokenAddress, dex } = SWAP
  const change = {
    event: 'liquidity_added' as const,
    tokenAddress,
    dex,
    blockTxIndex: 0,
    ixIndex: 3,
  }
  return [
    swapEvent(position),
    swapEvent({ ...position, ixIndex: 1, isBuy: false, solAmount: 15_000 }),
    { kind: 'pool_event', poolEvent: { ...position, ...change } },
  ]
}

/** A swap that is never retracted: the pool trades on in a later slot. */
const laterEvent = (each: Case): MarketEvent =>
  swapEvent({
    pairAddress: poolOf(each.number),
    slot: slotOf(each) + 3,
    timestamp: SWAP.timestamp + 400 * slotOf(each) + 1_000,
    signature: encodeBase58(new Uint8Array(64).fill(100 + each.number)),
    blockhash: poolOf(9_000 + each.number),
  })

function delivered(each: Case, delivery: Delivery | undefined): Event[] {
  if (delivery === 'unnamed') return eventsOf(each, undefined)
  if (delivery === 'named') return eventsOf(each, hashOf(each, 'own'))
  const retraction = { slot: slotOf(each), blockhash: hashOf(each, each.retracted) }
  return [{ kind: 'retract', retraction }]
}

const publishPhase = (pipeline: Pipeline, phase: number): Promise<void> =>
  publishAll(
    pipeline,
    CASES.flatMap((each) => delivered(each, each.order[phase])),
  )

let expected: Promise<Record<string, string>> | undefined

/** The tables of a history in which every event names its block, made by the first test that compares. */
function expectedHashes(t: ExecutionContext): Promise<Record<string, string>> {
  expected ??= namedHashes(t)
  return expected
}

async function namedHashes(t: ExecutionContext): Promise<Record<string, string>> {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const left = CASES.filter(({ retracted }) => retracted === 'other')
  await publishAll(pipeline, CASES.map(laterEvent))
  await publishAll(
    pipeline,
    left.flatMap((each) => eventsOf(each, hashOf(each, 'own'))),
  )
  await untilCaughtUp(pipeline)
  return verifiedHashes(t, pipeline)
}

async function assertEqual(t: ExecutionContext, pipeline: Pipeline): Promise<void> {
  await untilCaughtUp(pipeline)
  t.deepEqual(await verifiedHashes(t, pipeline), await expectedHashes(t))
  const { rows } = await pipeline.db.query<{ unnamed: number }>(
    `select count(*)::integer as unnamed
     from (select blockhash from swap union all select blockhash from pool_event) as stored
     where blockhash is null`,
  )
  t.is(rows[0]?.unnamed, 0, 'each row names its block')
}

/** The phases that a worker finds at once; between two of these it has caught up. */
const GROUPINGS = [[[0], [1], [2]], [[0, 1], [2]], [[0], [1, 2]], [[0, 1, 2]]]

for (const grouping of GROUPINGS) {
  const name = grouping.map((phases) => phases.map((phase) => phase + 1).join(' with ')).join(', ')
  test.serial(`a duplicate names the block of a stored event: deliveries ${name}`, async (t) => {
    const pipeline = await openPipeline(t)
    await publishAll(pipeline, CASES.map(laterEvent))
    for (const phases of grouping) {
      for (const phase of phases) await publishPhase(pipeline, phase)
      const worker = await runWorker(t, pipeline)
      await untilCaughtUp(pipeline)
      await worker.stop()
    }
    await runWorker(t, pipeline)
    await assertEqual(t, pipeline)
  })
}

test.serial(
  'workers that die between naming a block and its retraction leave the same',
  async (t) => {
    const pipeline = await openPipeline(t)
    await publishAll(pipeline, CASES.map(laterEvent))
    for (const [phase, step] of (['written', 'committed', 'published'] as const).entries()) {
      await publishPhase(pipeline, phase)
      const doomed = await spawnWorker(t, pipeline, {
        fault: { step, after: 1, signal: 'SIGKILL' },
      })
      t.is(await doomed.ended, 'SIGKILL')
    }
    await runWorker(t, pipeline)
    await assertEqual(t, pipeline)
  },
)
