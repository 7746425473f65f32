/** `swaptide webhooks`: what `test` prints equals what is sent, and the other actions change what the sender does. */
import test from 'ava'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { runHere, settingsOf } from '../../../support/programs/commands.ts'
import { SECRET_KEY, untilDelivered, webhookBench } from '../../../support/webhooks/bench.ts'
import { MANNERS, startReceiver } from '../../../support/webhooks/receiver.ts'

const BOUND_MS = 60_000
const FILTER = '{"swap_type":"sell","min_sol":"1"}'

test('prints what an endpoint is sent, byte by byte, and sends nothing', async (t) => {
  const bench = await webhookBench(t)
  const { pipeline } = bench
  const settings = {
    ...settingsOf(pipeline),
    WEBHOOK_SECRET_KEY: SECRET_KEY,
    WEBHOOK_PRIVATE_ADDRESSES: 'allow',
  }
  const run = (...argv: string[]) => runHere(['webhooks', ...argv], settings)
  const receiver = await startReceiver(t, MANNERS.plain!(''))
  await writeFeed(pipeline, 0, 3)
  const chosen = ['--filter', FILTER, '--integers', 'string', '--events-max', '2']
  const created = await run('create', '--url', receiver.url, ...chosen, '--json')
  t.is(created.code, 0, created.stderr)
  const { id, secret } = JSON.parse(created.stdout)
  receiver.secret = secret
  const { cursor } = await bench.show(id)
  await writeFeed(pipeline, 12, 30, 10)
  const dry = await run('test', '--since', cursor, ...chosen)
  const stored = await run('test', '--since', cursor, '--id', String(id))
  t.is(dry.code, 0, dry.stderr)
  t.is(stored.stdout, dry.stdout)
  t.deepEqual(receiver.received, [])
  bench.send()
  await untilDelivered(bench, [id], BOUND_MS)
  t.deepEqual(receiver.forged, [])
  const printed = dry.stdout.trim().split('\n')
  t.true(printed.length > 30)
  t.deepEqual(
    printed,
    receiver.received.map((each) => JSON.stringify({ id: each.id, body: each.body })),
  )
  const earlier = await run('test', '--since', '2020-01-01', ...chosen)
  t.true(earlier.stdout.endsWith(dry.stdout))
  t.true(earlier.stdout.length > dry.stdout.length)
})

test('lists, pauses, resumes, rotates and deletes, and refuses what cannot be', async (t) => {
  const bench = await webhookBench(t)
  const settings = { ...settingsOf(bench.pipeline), WEBHOOK_SECRET_KEY: SECRET_KEY }
  const run = (...argv: string[]) => runHere(['webhooks', ...argv], settings)
  const { id } = await bench.create({ url: 'https://example.invalid/a' })
  t.regex((await run('list')).stdout, /^ *1 +active +0 +0 +https:\/\/example\.invalid\/a$/m)
  t.is((await run('pause', String(id))).stdout, 'webhook 1 is paused\n')
  t.is((await bench.show(id)).state, 'paused')
  t.is((await run('resume', String(id))).stdout, 'webhook 1 is resumed\n')
  t.is((await bench.show(id)).state, 'active')
  const rotated = await run('rotate', String(id))
  t.regex(rotated.stdout, /^whsec_.{44}\n$/)
  const listed = await run('list', '--json')
  t.false(listed.stdout.includes('whsec_'))
  t.is((await run('delete', String(id))).stdout, 'webhook 1 is deleted\n')
  const refusals: [string[], RegExp][] = [
    [['pause', '1'], /webhook "1" not found/],
    [['create', '--url', 'https://10.0.0.1/'], /private address/],
    [['create'], /--url is missing/],
    [['test'], /--since is missing/],
    [['test', '--since', 'soon'], /--since "soon"/],
    [['test', '--since', 'elsewhere-5'], /cursor is of another stream/],
    [['test', '--since', '2020-01-01', '--filter', '{"token":[]}'], /did you mean "tokens"/],
    [['test', '--since', '2020-01-01', '--filter', '{'], /expected JSON/],
  ]
  for (const [argv, reason] of refusals) {
    const { code, stderr } = await run(...argv)
    t.not(code, 0)
    t.regex(stderr, reason)
  }
})
