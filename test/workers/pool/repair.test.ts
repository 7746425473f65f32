/** A late `migrated` event: the impacts of its pool's stored swaps are recomputed, however busy the lane is. */
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import { assertExact } from '../../simulation/judge.ts'
import { openPipeline, publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

test('a late migration corrects its pool although messages never cease', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const sample = smallMarket(700, 400).flatMap((event) =>
    event.kind === 'swap' && event.swap.dex === 2 ? [event.swap] : [],
  )[0]!
  const swapNumbered = (number: number): Event => ({
    kind: 'swap',
    swap: {
      ...sample,
      slot: sample.slot + number,
      isBuy: true,
      solAmount: 1_000_000_000 + number,
      tokenAmount: 2_000_000_000,
      realSolReserves: 80_000_000_000,
      realTokenReserves: 160_000_000_000,
      agentTrade: 0,
    },
  })
  const swaps = Array.from({ length: 3_000 }, (_, number) => swapNumbered(number))
  await publishAll(pipeline, swaps)
  await untilCaughtUp(pipeline)
  const { signature, slot, timestamp, pairAddress, tokenAddress, dex } = sample
  const migrated: Event = {
    kind: 'pool_event',
    poolEvent: {
      event: 'migrated',
      signature,
      slot: slot - 1,
      timestamp,
      pairAddress,
      tokenAddress,
      dex,
      blockTxIndex: 0,
      ixIndex: 0,
    },
  }
  let isOver = false
  const flowing = (async () => {
    for (let number = 3_000; !isOver; number++) {
      await publishAll(pipeline, [number === 3_010 ? migrated : swapNumbered(number)])
      await pause(20)
    }
  })()
  try {
    await until('the migration is known', 60_000, async () => {
      return (await pipeline.db.query('select from pool_event')).rowCount === 1
    })
    await until('the pool is corrected', 60_000, async () => {
      return (await pipeline.db.query('select from pool_repair')).rowCount === 0
    })
  } finally {
    isOver = true
    await flowing
  }
  await untilCaughtUp(pipeline)
  await assertExact(t, pipeline)
})

test('a repair that was noted for another lane is done by the one that has the pool now', async (t) => {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline)
  await publishAll(pipeline, smallMarket(701, 200))
  await untilCaughtUp(pipeline)
  await worker.stop()
  await pipeline.db.query('insert into pool_repair (pool_id, lane) select id, 9 from pool')
  await runWorker(t, pipeline)
  await untilCaughtUp(pipeline)
  await assertExact(t, pipeline)
})
