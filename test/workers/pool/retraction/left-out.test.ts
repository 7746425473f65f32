/**
 * Events whose block was retracted before they are stored are counted as such: in the run of `ingest` that brought them, in its
 * report, and in the metrics of workers. Those that the tables have remain duplicates.
 */
import test from 'ava'
import { Registry } from 'prom-client'
import { runCounts } from '../../../../deploy/ingest/run-counts.ts'
import type { Event } from '../../../../domain/events/event.ts'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'
import { MINT, NOW_MS, POOL, swapEvent } from '../../../support/events/sample-event.ts'
import { signatureOf } from '../../../support/market/sample-swap.ts'
import { runHere, settingsOf } from '../../../support/programs/commands.ts'
import { openPipeline, publishAll, untilCaughtUp } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const NONE = {
  ...{ accepted: 0, duplicate: 0, conflict: 0, other: 0, dead: 0 },
  ...{ retracted_swap: 0, retracted_pool_event: 0 },
  ...{ dropped_swap: 0, dropped_pool_event: 0 },
}
const GONE_SLOT = 500
const swapIn = (slot: number, n: number): Event => swapEvent({ slot, signature: signatureOf(n) })
const EVENTS: Event[] = [swapIn(GONE_SLOT, 0), swapIn(GONE_SLOT, 1), swapIn(GONE_SLOT + 1, 2)]
const CREATED: Event = {
  kind: 'pool_event',
  poolEvent: {
    ...{ event: 'created', signature: signatureOf(0), slot: GONE_SLOT, timestamp: NOW_MS },
    ...{ pairAddress: POOL, tokenAddress: MINT, dex: 1, blockTxIndex: 0, ixIndex: 0 },
  },
}
const RETRACTION: Event = { kind: 'retract', retraction: { slot: GONE_SLOT } }

test('events of a retracted block are counted apart from duplicates', async (t) => {
  const pipeline = await openPipeline(t)
  const metrics = new Registry()
  await runWorker(t, pipeline, { metrics })
  await publishAll(pipeline, EVENTS, { run: 'first' })
  // A batch that holds both leaves the events out at once.
  await untilCaughtUp(pipeline)
  await publishAll(pipeline, [RETRACTION], { run: 'retraction' })
  await untilCaughtUp(pipeline)
  t.deepEqual(await runCounts(pipeline.db, 'first'), { ...NONE, accepted: 3 })
  await publishAll(pipeline, [...EVENTS, CREATED], { run: 'again', eventsMax: 2 })
  await untilCaughtUp(pipeline)
  const again = { ...NONE, duplicate: 1, retracted_swap: 2, retracted_pool_event: 1 }
  t.deepEqual(await runCounts(pipeline.db, 'again'), again)
  const text = await metrics.metrics()
  t.regex(text, /^swaptide_retracted_events_total\{actor="pool"\} 3$/m)

  // A version before this one counts them within the others, so that its sums are whole.
  const { rows } = await pipeline.db.query(
    `select sum(accepted + duplicate + conflict + other + dead)::integer as all
     from ingest_run where id = 'again'`,
  )
  t.deepEqual(rows, [{ all: 4 }])
  const lines = [...EVENTS, CREATED].map(printEvent).join('\n')
  const ran = await runHere(['ingest', '-'], settingsOf(pipeline), `${lines}\n`)
  t.is(
    ran.stdout,
    '0 swaps accepted, 1 duplicate, 0 conflicts, 0 token lines, 1 pool event, 0 refused, ' +
      '3 events of retracted blocks left out\n',
  )
  // Another batch: the stream would not store the same one twice.
  const twice = `${lines}\n${lines}\n`
  const json = await runHere(['ingest', '--json', '-'], settingsOf(pipeline), twice)
  t.like(JSON.parse(json.stdout), {
    ...{ accepted: 0, duplicates: 2, retracted_swaps: 4, retracted_pool_events: 2 },
    uncounted: 0,
  })
})
