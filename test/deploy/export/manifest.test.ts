/** The state of the tables in a manifest: its slot and time are those of the stored swaps, whatever the clock of this host. */
import test from 'ava'
import { readState } from '../../../deploy/export/manifest.ts'
import { swapEvent } from '../../support/events/sample-event.ts'
import { signatureOf } from '../../support/market/sample-swap.ts'
import { openPipeline, publishAll, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

/** The most by which the clock of a producer may be ahead. */
const AHEAD_MS = 9 * 60_000

test('newest slot and newest time are those of the same stored swaps, also of one that is ahead', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  t.like(await readState(pipeline.db), { newest_slot: null, newest_swap_ms: null, swaps: 0 })
  const aheadMs = Date.now() + AHEAD_MS
  await publishAll(
    pipeline,
    [aheadMs - 3_600_000, aheadMs].map((timestamp, n) =>
      swapEvent({ signature: signatureOf(n), slot: 500 + n, timestamp }),
    ),
  )
  await untilCaughtUp(pipeline)
  t.like(await readState(pipeline.db), { newest_slot: 501, newest_swap_ms: aheadMs, swaps: 2 })
})
