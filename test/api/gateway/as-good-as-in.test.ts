// For a lineage far below the cap the API reads while it requests Redis, and sends no answer before Redis has decided.

import test from 'ava'
import { startApi } from '../../../api/main.ts'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import { apiUnderTest, LONG_LIMIT, SILENT } from '../../support/api/api-under-test.ts'
import { blockedStatements, untilBlocked } from '../../support/api/blocked.ts'
import { ownStack } from '../../support/servers/servers.ts'

const BOUND_MS = 60_000
/** While Redis is stopped neither the decision nor the end of the read happens by itself. */
const ANSWER_MS = 10 * BOUND_MS
/** Requests a minute of the free tier. */
const CAP = 1_200
const AT_ONCE = 50

test('cancels the read of a request that is refused afterwards, and returns no part of it', async (t) => {
  const { redisUrl, servers } = await ownStack(t)
  const given = { ...LONG_LIMIT, redisUrl, redisAnswerMs: ANSWER_MS, deadlineMs: ANSWER_MS }
  const { db, databaseUrl, key, get } = await apiUnderTest(t, given)
  const other = await startApi({ databaseUrl, port: 0, log: SILENT, ...given })
  t.teardown(() => other.stop())
  // From here on this process assumes that the key has room.
  t.is((await get('/pool-events')).headers.get('X-RateLimit-Remaining'), String(CAP - 1))
  // Many at once: all have to lie in one window.
  for (let requested = 1; requested < CAP; requested += AT_ONCE) {
    const headers = { 'X-API-Key': key }
    const count = Math.min(AT_ONCE, CAP - requested)
    const answers = Array.from({ length: count }, () => fetch(`${other.url}/credits`, { headers }))
    for (const { status } of await Promise.all(answers)) t.is(status, 200)
  }
  const lock = await db.connect()
  await lock.query('begin')
  await lock.query('lock table pool_event in access exclusive mode')
  servers.redis.kill('SIGSTOP')
  const answer = get('/pool-events')
  const mistaken = get('/pool-events?limit=0')
  try {
    await untilBlocked(db)
  } finally {
    servers.redis.kill('SIGCONT')
  }
  const { status, headers, body } = await answer
  t.is(status, 429)
  t.is(headers.get('X-RateLimit-Remaining'), '0')
  t.like(body, { success: false, error: { code: 'RATE_LIMIT_EXCEEDED' } })
  t.is((await mistaken).status, 429, 'before what else is wrong with it')
  t.true(await holdsWithin(BOUND_MS, async () => (await blockedStatements(db)) === 0))
  await lock.query('rollback')
  lock.release()
})

test('reports errors of a speculative read with the headers of the limit', async (t) => {
  const { redisUrl, servers } = await ownStack(t)
  const given = { redisUrl, redisAnswerMs: ANSWER_MS, deadlineMs: ANSWER_MS }
  const { get } = await apiUnderTest(t, given)
  await get('/pool-events')
  servers.redis.kill('SIGSTOP')
  const answer = get('/pool-events?limit=0')
  servers.redis.kill('SIGCONT')
  const { status, headers } = await answer
  t.is(status, 400)
  t.is(headers.get('X-RateLimit-Remaining'), String(CAP - 2))
})
