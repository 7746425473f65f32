/** A database that was replaced under a FEED that another one wrote: said aloud, nothing dropped. */
import test from 'ava'
import { testDatabase } from '../../support/servers/database.ts'
import { openPipeline, publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

test('a worker refuses to go on with a FEED that is ahead of its database', async (t) => {
  const pipeline = await openPipeline(t)
  const first = await runWorker(t, pipeline)
  await publishAll(pipeline, smallMarket(900, 100), { eventsMax: 8 })
  await untilCaughtUp(pipeline, 60_000)
  await first.stop()
  const replaced = await testDatabase()
  t.teardown(() => replaced.drop())
  const { databaseUrl, db } = replaced
  await runWorker(t, { ...pipeline, databaseUrl, db })
  await until('the worker says so', 60_000, async () =>
    pipeline.recording.lines.some((line) => line.includes('is not the database')),
  )
  const { rows } = await db.query('select count(*)::integer as swaps from swap')
  t.is(rows[0].swaps, 0)
})
