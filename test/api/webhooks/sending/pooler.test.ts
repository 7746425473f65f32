/** Webhooks whose sender reaches the database through PgBouncer in transaction pooling, with four connections. */
import test from 'ava'
import { startWebhooks } from '../../../../api/webhooks/sending/running.ts'
import { noteTransactionPooler } from '../../../../sql/driver/pooler.ts'
import { startJobs } from '../../../../workers/jobs/main.ts'
import { pgBouncer } from '../../../support/cluster/pgbouncer.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { untilDelivered, webhookBench } from '../../../support/webhooks/bench.ts'
import { MANNERS, startReceiver } from '../../../support/webhooks/receiver.ts'

const BOUND_MS = 120_000
const MESSAGES = 20
const EVENTS_A_MESSAGE = 10
/** Same as in deliveries.test.ts: five swaps of a message are buys. */
const BUYS_A_MESSAGE = 5

test('sends every event through a pooler of transactions, also after the pooler was away', async (t) => {
  const bench = await webhookBench(t)
  const { databaseUrl, prefix } = bench.pipeline
  const { url, server } = await pgBouncer(t, databaseUrl, { poolSize: 4 })
  noteTransactionPooler(url, databaseUrl)
  const { redisUrl, log } = bench.options
  const webhooks = startWebhooks({ ...bench.options, databaseUrl: url })
  const functions = { webhook: webhooks.deliver }
  const jobs = startJobs({ databaseUrl: url, redisUrl, prefix, functions, log })
  t.teardown(async () => {
    await jobs.stop()
    await webhooks.stop()
  })
  const receiver = await startReceiver(t, MANNERS.plain!(''))
  const fields = { filter: { swap_type: 'buy' }, events_max: 1, int64: 'string' }
  const { id, secret } = await bench.create({ url: receiver.url, ...fields })
  receiver.secret = secret
  await writeFeed(bench.pipeline, 0, MESSAGES, EVENTS_A_MESSAGE)
  await untilDelivered(bench, [id], BOUND_MS)
  await server.stop()
  await writeFeed(bench.pipeline, MESSAGES * EVENTS_A_MESSAGE, MESSAGES, EVENTS_A_MESSAGE)
  await server.start()
  await untilDelivered(bench, [id], BOUND_MS)
  t.deepEqual(receiver.forged, [])
  const delivered = new Set(receiver.received.map((each) => each.id))
  t.is(delivered.size, 2 * MESSAGES * BUYS_A_MESSAGE)
})
