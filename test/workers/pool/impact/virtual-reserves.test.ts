/**
 * SOL that swaps state in addition to the reported reserves, from SWAP to REST: late swaps, a late migration, swaps that state
 * nothing, and a value that another program published and that cannot be used.
 */
import test from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { startApi } from '../../../../api/main.ts'
import type { Event } from '../../../../domain/events/event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { MIGRATION_CORRECTION_FROM_MS } from '../../../../domain/venue.ts'
import { assertExact } from '../../../simulation/judge.ts'
import { SILENT } from '../../../support/api/api-under-test.ts'
import { MINT, POOL, WALLET } from '../../../support/events/sample-event.ts'
import { sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const MIGRATED_MS = MIGRATION_CORRECTION_FROM_MS + 1

/** A buy at 20,644.4 lamports a unit; before it the pool reports 1 SOL over 1,000,000 units. */
const swapAt = (slot: number, changes: Partial<Swap> = {}): Event => ({
  kind: 'swap',
  swap: sampleSwap({
    signature: signatureOf(slot),
    slot,
    dex: 2,
    solAmount: 1_858_000_000,
    tokenAmount: 90_000,
    realSolReserves: 2_858_000_000,
    realTokenReserves: 910_000,
    timestamp: MIGRATED_MS + slot,
    ...changes,
  }),
})

const MIGRATION: Event = {
  kind: 'pool_event',
  poolEvent: {
    event: 'migrated',
    signature: signatureOf(1),
    slot: 1,
    timestamp: MIGRATED_MS,
    pairAddress: POOL,
    tokenAddress: MINT,
    dex: 2,
    blockTxIndex: 0,
    ixIndex: 0,
    fromPair: WALLET,
  },
}

async function restOf(pipeline: Pipeline, t: Parameters<typeof openPipeline>[0]) {
  const { databaseUrl, db } = pipeline
  const api = await startApi({ databaseUrl, port: 0, log: SILENT, deadlineMs: 60_000 })
  t.teardown(() => api.stop())
  const wanted = { tier: 'free', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(db, wanted)
  return async (path: string) => {
    const response = await fetch(api.url + path, { headers: { 'X-API-Key': key } })
    return (await response.json()) as Record<'data' | 'swaps', Record<string, unknown>[]>
  }
}

test('a swap is measured by the SOL that it states, and so is the liquidity of its pool', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const get = await restOf(pipeline, t)
  const impactOf = async (slot: number) =>
    (await get(`/swaps/${signatureOf(slot)}`)).swaps[0]?.price_impact_bps
  const liquidity = async () =>
    (await get(`/api/v1/pairs?token_address=${MINT}`)).data[0]?.liquidity_sol

  await publishAll(pipeline, [swapAt(10), swapAt(30, { virtualQuoteReserves: 37_000_000_000 })])
  await untilCaughtUp(pipeline)
  // 20,644.4 over 1,000 lamports a unit, and over 38,000.
  t.deepEqual([await impactOf(10), await impactOf(30)], [32_767, -4567])
  t.is(await liquidity(), 2 * (2.858 + 37))

  // Late, and before it was known that the pool migrated.
  await publishAll(pipeline, [swapAt(20, { virtualQuoteReserves: 0 })])
  await untilCaughtUp(pipeline)
  await publishAll(pipeline, [MIGRATION])
  await untilCaughtUp(pipeline)
  // The constant, 18,580 lamports a unit, is for the swap that states nothing.
  t.deepEqual([await impactOf(10), await impactOf(20), await impactOf(30)], [1111, 32_767, -4567])
  t.is(await liquidity(), 2 * (2.858 + 37))

  // Stored without the field: the value of another program's message cannot be stored.
  await publishAll(pipeline, [swapAt(40, { virtualQuoteReserves: 2n ** 63n })])
  await untilCaughtUp(pipeline)
  t.is(await impactOf(40), 1111)
  t.is(await liquidity(), 2 * (2.858 + 17.58))
  const stored = await pipeline.db.query(
    'select slot, virtual_quote_reserves as stated from swap order by slot',
  )
  t.deepEqual(
    stored.rows.map(({ slot, stated }) => [Number(slot), stated === null ? null : Number(stated)]),
    [
      [10, null],
      [20, 0],
      [30, 37_000_000_000],
      [40, null],
    ],
  )
  const warned = pipeline.recording.lines.filter((line) => line.includes('invalid fields of event'))
  t.is(warned.length, 1)
  const arrived = [10, 20, 30, 40].map((slot) => swapAt(slot))
  const stating = [undefined, 0, 37_000_000_000, undefined]
  for (const [index, event] of arrived.entries()) {
    if (event.kind === 'swap') event.swap.virtualQuoteReserves = stating[index]
  }
  await assertExact(t, pipeline, { arrived: [...arrived, MIGRATION] })
})
