/** `swaptide simulate` into real streams: its events, and its end. */
import test from 'ava'
import { runHere, settingsOf } from '../../support/programs/commands.ts'
import { openPipeline, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const LEAD_MS = 600_000

test('ends a market where it would run ahead of the clock by more than ingest accepts', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const from = String(Date.now() + LEAD_MS - 5_000)
  const argv = ['simulate', '--swaps', '20000', '--from', from]
  const { code, stdout, stderr } = await runHere(argv, settingsOf(pipeline))
  t.is(code, 1)
  const [, published = ''] = /^([\d,]+) swaps? published in /.exec(stdout) ?? []
  t.regex(stderr, /the rest lies over 10 minutes ahead: begin with an earlier --from/)
  await untilCaughtUp(pipeline)
  const { rows } = await pipeline.db.query<{ swaps: number; newest_ms: number }>(
    'select count(*)::integer as swaps, max(timestamp_ms) as newest_ms from swap',
  )
  const [{ swaps, newest_ms: newestMs } = { swaps: 0, newest_ms: Number.NaN }] = rows
  t.true(swaps > 0 && swaps < 20_000)
  t.is(swaps, Number(published.replaceAll(',', '')))
  t.true(newestMs <= Date.now() + LEAD_MS)
})
