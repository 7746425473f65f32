/** Rows of swaps that a source stored without the rates of fees outside the legs, and duplicates of another source that states them. */
import test from 'ava'
import type { Event } from '../../../../domain/events/event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { assertExact } from '../../../simulation/judge.ts'
import { sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const RATES = { outsideProtocolBps: 93, outsideCreatorBps: 30 }
const BLOCK = 'So11111111111111111111111111111111111111112'

const swapAt = (slot: number, changes: Partial<Swap> = {}): Event => ({
  kind: 'swap',
  swap: sampleSwap({
    ...{ signature: signatureOf(slot), slot, dex: 2, timestamp: Date.UTC(2026, 8, 1) + slot },
    ...changes,
  }),
})

/** Slot, rates and block of every row of the table. */
async function rowsOf({ db }: Pipeline): Promise<unknown[][]> {
  const { rows } = await db.query(
    `select slot::integer, outside_protocol_bps, outside_creator_bps, blockhash from swap order by slot`,
  )
  return rows.map((row) => Object.values(row))
}

test('a duplicate adds the rates and the block that a stored swap lacks, and one without them takes nothing', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const arrive = async (...events: Event[]) => {
    await publishAll(pipeline, events)
    await untilCaughtUp(pipeline)
  }
  await arrive(
    swapAt(10),
    swapAt(20),
    swapAt(20, { blockhash: BLOCK }),
    swapAt(20, RATES),
    swapAt(30, RATES),
  )
  const whole = [93, 30, BLOCK]
  t.deepEqual(await rowsOf(pipeline), [
    [10, null, null, null],
    [20, ...whole],
    [30, 93, 30, null],
  ])
  await arrive(swapAt(10, RATES), swapAt(10, { blockhash: BLOCK }), swapAt(10), swapAt(30))
  t.deepEqual(await rowsOf(pipeline), [
    [10, ...whole],
    [20, ...whole],
    [30, 93, 30, null],
  ])
  await arrive(swapAt(30, { ...RATES, outsideCreatorBps: 31 }), swapAt(30, { blockhash: BLOCK }))
  t.deepEqual((await rowsOf(pipeline))[2], [30, ...whole])
  const conflicts = await pipeline.db.query('select kind from event_conflict')
  t.deepEqual(conflicts.rows, [{ kind: 'redelivery_differs' }])
  const arrived = [10, 20, 30].map((slot) => swapAt(slot, { ...RATES, blockhash: BLOCK }))
  await assertExact(t, pipeline, { arrived })
})
