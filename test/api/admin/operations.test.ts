// Status of workers and jobs, and operations on them, by /admin/v1.

import test from 'ava'
import { isLive, makeSession } from '../../../api/gateway/operator-session.ts'
import { startApi } from '../../../api/main.ts'
import { openOperations } from '../../../deploy/operations/operations.ts'
import { openJobQueue } from '../../../streams/jobs/bullmq.ts'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { mint, trader } from '../../support/market/sample-swap.ts'
import { testPrefix } from '../../support/servers/database.ts'
import { LANE_COUNT, openPipeline, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { consoleUnderTest, OPERATOR_KEY, publishPoison } from './console-under-test.ts'

test('reports owners and progress of lanes, and contents of queues', async (t) => {
  const { pipeline, operator, bench } = await consoleUnderTest(t)
  const nobody = await operator('/admin/v1/lanes')
  t.is(nobody.status, 200)
  t.true(nobody.body.data.length >= 4)
  t.true(nobody.body.data.every(({ owner, age_ms }) => owner === null && age_ms === null))
  await runWorker(t, pipeline)
  await publishPoison(pipeline, 1)
  const { body } = await operator('/admin/v1/lanes')
  const pools = body.data.filter(({ actor }) => actor === 'pool')
  t.is(pools.length, LANE_COUNT)
  t.true(pools.every(({ owner, lag }) => typeof owner === 'string' && lag === 0))
  t.true(pools.some(({ sequence }) => sequence === 1))

  await bench.queue().request('wallet-tags', { wallet: trader(1) })
  const queues = await operator('/admin/v1/queues')
  const tags = queues.body.data.find(({ name }) => name === 'wallet-tags')
  t.like(tags, { waiting: 1, active: 0, failed: 0, newest_failure: null })
})

test('lists dead letters page by page, sends them again, and records that in the audit log', async (t) => {
  const { pipeline, operator } = await consoleUnderTest(t)
  await runWorker(t, pipeline)
  await publishPoison(pipeline, 3)
  const first = await operator('/admin/v1/dead-letters?limit=2')
  t.is(first.body.waiting, 3)
  t.is(first.body.data.length, 2)
  t.like(first.body.data[0], { actor: 'pool', retried_at: null })
  t.regex(String(first.body.data[0]?.reason), /^signature "tooShort": expected a signature/)
  const rest = await operator(`/admin/v1/dead-letters?limit=2&cursor=${first.body.next_cursor}`)
  t.is(rest.body.data.length, 1)
  t.is(rest.body.next_cursor, null)
  const ids = [...first.body.data, ...rest.body.data].map(({ id }) => id)
  t.deepEqual(
    ids,
    [...ids].sort((a, b) => Number(b) - Number(a)),
  )

  const retried = await operator(`/admin/v1/dead-letters/${ids[2]}/retry`, 'POST')
  t.is(retried.status, 200)
  // The number of pending ones depends on how soon it fails again.
  t.deepEqual((retried.body.data as unknown as { sent: number[] }).sent, [Number(ids[2])])
  await untilCaughtUp(pipeline)
  const all = await operator('/admin/v1/dead-letters/retry', 'POST')
  const { sent } = all.body.data as unknown as { sent: number[] }
  // Still poison, the sent one was stored again.
  t.is(sent.length, 3)
  await untilCaughtUp(pipeline)
  const waiting = await operator('/admin/v1/dead-letters?state=waiting')
  t.true(waiting.body.data.every(({ retried_at }) => retried_at === null))
  t.is(waiting.body.data.length, waiting.body.waiting as number)
  const audit = await operator('/admin/v1/audit?limit=1000')
  const lines = audit.body.data.filter(({ action }) => action === 'dead_letter_retried')
  t.is(lines.length, 4)
  t.like(lines.at(-1), { target: `dead letter ${ids[2]}`, actor: 'admin', key_id: null })
  t.is((await operator('/admin/v1/dead-letters/999999/retry', 'POST')).status, 404)
  t.is((await operator('/admin/v1/dead-letters?cursor=bm9uZQ')).status, 400)
})

test('stores, lists by pages, changes and removes KOLs, and records that in the audit log', async (t) => {
  const { operator, pipeline } = await consoleUnderTest(t)
  const path = (wallet: string): string => `/admin/v1/kols/${wallet}`
  const added = await operator(`${path(trader(1))}?display_name=Ann&twitter_handle=@ann`, 'PUT')
  t.is(added.status, 200)
  t.deepEqual(added.body.data as unknown, {
    wallet: trader(1),
    display_name: 'Ann',
    twitter_handle: 'ann',
    is_new: true,
  })
  const changed = await operator(`${path(trader(1))}?display_name=Anna`, 'PUT')
  t.like(changed.body.data, { display_name: 'Anna', twitter_handle: '', is_new: false })
  await operator(`${path(trader(2))}?display_name=Bob`, 'PUT')
  const first = await operator('/admin/v1/kols?limit=1')
  const rest = await operator(`/admin/v1/kols?cursor=${first.body.next_cursor}`)
  const names = [...first.body.data, ...rest.body.data].map(({ display_name }) => display_name)
  t.deepEqual(names.sort(), ['Anna', 'Bob'])
  t.is((await operator(path(trader(2)), 'DELETE')).status, 200)
  t.is((await operator(path(trader(2)), 'DELETE')).status, 404)
  const refused: [string, RegExp][] = [
    [`${path('nobody')}?display_name=x`, /wallet/],
    [`${path(trader(3))}?display_name=%20`, /display_name/],
    [`${path(trader(3))}`, /display_name/],
    [`${path(trader(3))}?display_name=x&twitter_handle=a%20b`, /twitter_handle/],
  ]
  for (const [requested, text] of refused) {
    const answer = await operator(requested, 'PUT')
    t.is(answer.status, 400, requested)
    t.regex(answer.text, text)
  }
  const audit = await operator('/admin/v1/audit')
  t.deepEqual(
    audit.body.data.map(({ action, target }) => `${action} ${target}`),
    [
      `kol_removed ${trader(2)}`,
      `kol_stored ${trader(2)}`,
      `kol_stored ${trader(1)}`,
      `kol_stored ${trader(1)}`,
    ],
  )
  await t.throwsAsync(pipeline.db.query('delete from operator_audit'), { message: /only added to/ })
})

test('reports to operators that NATS or Redis is away, and the rest of the status', async (t) => {
  const { databaseUrl, natsUrl, topology, recording } = await openPipeline(t)
  const { log } = recording
  const jetStream = await connectJetStream(natsUrl, { name: 'swaptide-test', log })
  await jetStream.close()
  const jobs = openJobQueue({ redisUrl: 'redis://127.0.0.1:1', prefix: testPrefix(), log })
  t.teardown(() => jobs.close())
  const operations = openOperations({ databaseUrl, jetStream, topology, jobs, log })
  t.teardown(() => operations.close())
  const api = await startApi({ databaseUrl, operations, port: 0, log, adminKey: OPERATOR_KEY })
  t.teardown(() => api.stop())
  const statusOf = async (path: string, method = 'GET'): Promise<number> => {
    const headers = { Authorization: `Bearer ${OPERATOR_KEY}` }
    const answer = await fetch(api.url + path, { method, headers })
    await answer.text()
    return answer.status
  }
  t.is(await statusOf('/admin/v1/lanes'), 503)
  t.is(await statusOf('/admin/v1/dead-letters/retry', 'POST'), 503)
  t.is(await statusOf(`/admin/v1/sectors/${mint(1)}?sector=meme`, 'PUT'), 503)
  t.is(await statusOf('/admin/sectors/import', 'POST'), 503)
  t.is(await statusOf('/admin/v1/queues'), 503)
  t.is(await statusOf('/admin/queues/api/queues'), 503)
  t.is(await statusOf('/admin/v1/dead-letters'), 200)
  t.is(await statusOf('/admin/v1/kols'), 200)
  t.is(await statusOf('/admin/v1/sectors'), 200)
})

test('a session replaces the token, but not for changes from pages of another origin', async (t) => {
  const { api } = await consoleUnderTest(t)
  const signIn = (key: string) =>
    fetch(`${api.url}/admin/session`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
    })
  const wrong = await signIn(`${OPERATOR_KEY}x`)
  t.is(wrong.status, 401)
  t.is(wrong.headers.get('Set-Cookie'), null)
  const right = await signIn(OPERATOR_KEY)
  t.is(right.status, 204)
  const cookie = right.headers.get('Set-Cookie') ?? ''
  t.regex(
    cookie,
    /^swaptide_operator-\d+=[\w.-]+; Path=\/admin; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  )
  t.false(cookie.includes(OPERATOR_KEY))
  const [session = ''] = cookie.split(';')
  const request = async (headers: Record<string, string>, method = 'GET'): Promise<number> => {
    const path = method === 'GET' ? '/admin/v1/keys' : '/admin/v1/keys?tier=free&env=test&account=a'
    const answer = await fetch(api.url + path, { method, headers: { Cookie: session, ...headers } })
    await answer.body?.cancel()
    return answer.status
  }
  const { host } = new URL(api.url)
  t.is(await request({}), 200)
  t.is(await request({ Cookie: `${session}x` }), 401)
  t.is(await request({ Cookie: session.replace(/=\d/, '=9') }), 401)
  t.is(
    await request({ Authorization: 'Bearer wrong' }),
    401,
    'a wrong token is not made good by a cookie',
  )
  t.is(await request({}, 'POST'), 403)
  t.is(await request({ Origin: 'http://127.0.0.1:1' }, 'POST'), 403)
  t.is(await request({ Origin: `http://${host}` }, 'POST'), 200)
  const unknown = await fetch(`${api.url}/admin/nope`, { headers: { Cookie: session } })
  t.is(unknown.status, 404, 'to an operator of the console, too')
  const pausing = { method: 'PUT', headers: { Cookie: session, Origin: 'http://127.0.0.1:1' } }
  const paused = await fetch(`${api.url}/admin/queues/api/queues/wallet-tags/pause`, pausing)
  t.is(paused.status, 403)
  const feed = await fetch(`${api.url}/swaps`, { headers: { Cookie: session } })
  t.is(feed.status, 401, 'no cookie is a key')
  const out = await fetch(`${api.url}/admin/session`, { method: 'DELETE' })
  t.regex(out.headers.get('Set-Cookie') ?? '', /^swaptide_operator-\d+=; .*Max-Age=0/)
})

test('a session ends, and with another token at once', (t) => {
  const session = makeSession(OPERATOR_KEY, 1_000)
  t.true(isLive(session, OPERATOR_KEY, 999))
  t.false(isLive(session, OPERATOR_KEY, 1_000))
  t.false(isLive(session, `${OPERATOR_KEY}2`, 999))
  for (const text of ['', '.', '..', session.replace('1000', '2000')]) {
    t.false(isLive(text, OPERATOR_KEY, 999), text)
  }
})
