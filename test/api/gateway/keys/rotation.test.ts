// Rotation, revocation and the word of both: over two processes, with a listener that was cut off, and with
// every message lost. The audit is only added to.

import test from 'ava'
import { openKeyWatch } from '../../../../api/gateway/keys/key-watch.ts'
import {
  createKey,
  KeyRefusal,
  listEnded,
  revokeKey,
  rotateKey,
} from '../../../../api/gateway/keys/keys.ts'
import { startApi } from '../../../../api/main.ts'
import { holdsWithin } from '../../../../deploy/local/waiting.ts'
import {
  type ApiUnderTest,
  apiForFile,
  apiUnderTest,
  PATIENT_MS,
  SILENT,
} from '../../../support/api/api-under-test.ts'

/** Look-ups are cached for longer than any wait of the test: a change is known only by notification. */
const BELIEVED = { keyBelievedMs: 3_600_000 }
const under = apiForFile(BELIEVED)
const wanted = { tier: 'pro', environment: 'live', account: 'acme', by: 'tester' } as const
/** The word comes within a second, on a machine that has little else to do. */
const BOUND_MS = 60_000
const DAY_MS = 86_400_000

const statusOf = async (url: string, key: string): Promise<number> =>
  (await fetch(`${url}/swaps`, { headers: { 'X-API-Key': key } })).status

/** Terminates the sessions that listen to changes of keys in this database. */
const cutListeners = ({ db }: ApiUnderTest) =>
  db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'swaptide api keys/%'`,
  )

test('both keys work after a rotation, with one quota; the old one reports its end', async (t) => {
  const { db, call } = under()
  const old = await createKey(db, wanted)
  const made = await rotateKey(db, old.id, 'tester')
  t.like(made, { environment: 'live', tier: 'pro', account: 'acme' })
  t.true(made.key.startsWith('ohlcv_live_sk_'))
  const first = await call('/credits', { 'X-API-Key': old.key })
  const second = await call('/credits', { 'X-API-Key': made.key })
  t.is(first.status, 200)
  t.is(second.body.current_window_used, Number(first.body.current_window_used) + 1)
  const ends = Date.parse(first.headers.get('X-API-Key-Expires') ?? '')
  t.true(Math.abs(ends - Date.now() - 7 * DAY_MS) < 600_000)
  t.is(second.headers.get('X-API-Key-Expires'), null)
  const { rows } = await db.query(
    'select key_id, action from api_key_audit where key_id = any($1) order by id',
    [[old.id, made.id]],
  )
  t.deepEqual(
    rows.map(({ key_id, action }) => `${key_id} ${action}`).toSorted(),
    [`${old.id} created`, `${old.id} rotated`, `${made.id} created`].toSorted(),
  )
})

test('rotates a key once for many concurrent requests, and never when revoked', async (t) => {
  const { db } = under()
  const { id } = await createKey(db, wanted)
  const requested = await Promise.allSettled(
    Array.from({ length: 8 }, () => rotateKey(db, id, 'tester')),
  )
  t.is(requested.filter(({ status }) => status === 'fulfilled').length, 1)
  await t.throwsAsync(rotateKey(db, id, 'tester'), {
    instanceOf: KeyRefusal,
    message: `key "${id}" was rotated before: rotate its successor`,
  })
  const revoked = await createKey(db, wanted)
  await revokeKey(db, revoked.id, 'tester')
  await t.throwsAsync(rotateKey(db, revoked.id, 'tester'), { message: /is revoked/ })
  await t.throwsAsync(rotateKey(db, 999_999, 'tester'), { message: /key "999999" not found/ })
})

test('revoking the old key leaves the new one, in every process', async (t) => {
  const { db, databaseUrl, api } = under()
  const waits = { ...BELIEVED, deadlineMs: PATIENT_MS }
  const other = await startApi({ databaseUrl, port: 0, log: SILENT, ...waits })
  t.teardown(() => other.stop())
  const old = await createKey(db, wanted)
  const made = await rotateKey(db, old.id, 'tester')
  for (const { url } of [api, other]) t.is(await statusOf(url, old.key), 200)
  await revokeKey(db, old.id, 'tester')
  const areRefused = async (): Promise<boolean> =>
    (await statusOf(api.url, old.key)) === 401 && (await statusOf(other.url, old.key)) === 401
  t.true(await holdsWithin(BOUND_MS, areRefused))
  for (const { url } of [api, other]) t.is(await statusOf(url, made.key), 200)
})

test('any change of a key is known in about a second, also one that lets it in again', async (t) => {
  const { db, api } = under()
  const { id, key } = await createKey(db, wanted)
  t.is(await statusOf(api.url, key), 200)
  await db.query('update api_key set revoked_at = now() where id = $1', [id])
  t.true(await holdsWithin(BOUND_MS, async () => (await statusOf(api.url, key)) === 401))
  await db.query('update api_key set revoked_at = null where id = $1', [id])
  t.true(await holdsWithin(BOUND_MS, async () => (await statusOf(api.url, key)) === 200))
})

test('a listener that was cut off forgets all when it listens again', async (t) => {
  const own = await apiUnderTest(t, BELIEVED)
  const { id, key } = await createKey(own.db, wanted)
  t.is(await statusOf(own.api.url, key), 200)
  // In one transaction with the cut, so that its notification cannot have arrived.
  const connection = await own.db.connect()
  await connection.query('begin')
  await revokeKey(connection, id, 'tester')
  await cutListeners(own)
  await connection.query('commit')
  connection.release()
  const isRefused = async (): Promise<boolean> => (await statusOf(own.api.url, key)) === 401
  t.true(await holdsWithin(60_000, isRefused))
})

test('with every message lost a revoked key is refused once look-ups are believed no more', async (t) => {
  let aheadMs = 0
  const clocks = {
    // Set back by as much: only the steady clock measures an age.
    now: () => Date.now() - aheadMs,
    steadyMs: () => performance.now() + aheadMs,
  }
  const own = await apiUnderTest(t, { ...BELIEVED, ...clocks })
  await own.db.query('drop trigger api_key_tells_changes on api_key')
  const { id, key } = await createKey(own.db, wanted)
  t.is(await statusOf(own.api.url, key), 200)
  await revokeKey(own.db, id, 'tester')
  t.is(await statusOf(own.api.url, key), 200, 'or the test proves nothing')
  aheadMs = BELIEVED.keyBelievedMs
  t.is(await statusOf(own.api.url, key), 401)
})

test('reports the end of a watched key once, within 11 seconds where no notification arrives', async (t) => {
  const own = await apiUnderTest(t)
  const { db, databaseUrl } = own
  let starts = 0
  const watch = openKeyWatch({
    databaseUrl,
    listEnded: (ids) => listEnded(db, ids),
    forget: () => {
      starts += 1
    },
    log: SILENT,
  })
  t.teardown(() => watch.end())
  t.true(await holdsWithin(60_000, async () => starts > 0))
  const keys = await Promise.all(Array.from({ length: 4 }, () => createKey(db, wanted)))
  const [reported, lost, left, graced] = keys as [
    (typeof keys)[0],
    (typeof keys)[0],
    (typeof keys)[0],
    (typeof keys)[0],
  ]
  const ended: number[] = []
  for (const { id } of [reported, lost, graced]) watch.watch(id, () => ended.push(id))
  watch.watch(left.id, () => ended.push(left.id))()
  await revokeKey(db, reported.id, 'tester')
  await revokeKey(db, left.id, 'tester')
  t.true(await holdsWithin(BOUND_MS, async () => ended.length > 0))
  t.deepEqual(ended, [reported.id])
  await db.query('drop trigger api_key_tells_changes on api_key')
  await revokeKey(db, lost.id, 'tester')
  await db.query(`update api_key set grace_until = now() + interval '1 second' where id = $1`, [
    graced.id,
  ])
  t.true(await holdsWithin(60_000, async () => ended.length === 3))
  t.deepEqual(ended.toSorted(), [reported.id, lost.id, graced.id].toSorted())
})

test('refuses to change or remove a line of the audit', async (t) => {
  const { db } = under()
  await createKey(db, wanted)
  for (const statement of [
    `update api_key_audit set actor = 'nobody'`,
    'delete from api_key_audit',
    'truncate api_key_audit',
  ]) {
    await t.throwsAsync(db.query(statement), { message: /only added to/ })
  }
})
