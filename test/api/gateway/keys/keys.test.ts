// Keys over the real API: carriers, refusals, revocation, grace, last use, and what is stored.
// An answer must never contain a key.

import { randomBytes } from 'node:crypto'
import test from 'ava'
import { createKey, KeyRefusal, listKeys, revokeKey } from '../../../../api/gateway/keys/keys.ts'
import { makeKey } from '../../../../api/routing/key-format.ts'
import { holdsWithin } from '../../../../deploy/local/waiting.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'

/** Look-ups are cached for longer than any wait of the test: a change is known only by notification. */
const under = apiForFile({ keyBelievedMs: 3_600_000 })
const wanted = { tier: 'pro', environment: 'live', account: 'acme', by: 'tester' } as const

test('each of the three carriers lets a key in, and the same key in two of them', async (t) => {
  const { key, call } = under()
  const accepted: [string, Record<string, string>][] = [
    ['/swaps', { 'X-API-Key': key }],
    ['/swaps', { Authorization: `Bearer ${key}` }],
    ['/swaps', { authorization: `bearer ${key}` }],
    [`/swaps?api_key=${key}`, {}],
    [`/swaps?api_key=${key}`, { 'X-API-Key': key, Authorization: `Bearer ${key}` }],
  ]
  for (const [path, headers] of accepted) t.is((await call(path, headers)).status, 200)
})

test('no key, a malformed one, an unknown one and two different ones are all 401', async (t) => {
  const { db, key, call } = under()
  const other = (await createKey(db, wanted)).key
  const refused: [string, Record<string, string>][] = [
    ['/swaps', {}],
    ['/swaps?api_key=', {}],
    ['/swaps', { Authorization: `Basic ${key}` }],
    ['/swaps', { 'X-API-Key': 'nonsense' }],
    ['/swaps', { 'X-API-Key': `${key}0` }],
    ['/swaps', { 'X-API-Key': makeKey('live', randomBytes) }],
    ['/swaps', { 'X-API-Key': key, Authorization: `Bearer ${other}` }],
    [`/swaps?api_key=${key}&api_key=${other}`, {}],
    [`/swaps?api_key=${other}`, { 'X-API-Key': key }],
    ['/no/such/route', {}],
  ]
  for (const [path, headers] of refused) {
    const { status, body, text } = await call(path, headers)
    t.is(status, 401, path)
    t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
    t.false(text.includes(key))
  }
})

test('a revoked key is refused within a second or so', async (t) => {
  const { db, call } = under()
  const { id, key } = await createKey(db, wanted)
  const status = async (): Promise<number> => (await call('/swaps', { 'X-API-Key': key })).status
  t.is(await status(), 200)
  await revokeKey(db, id, 'tester')
  t.true(await holdsWithin(60_000, async () => (await status()) === 401))
  await revokeKey(db, id, 'tester')
  const { rows } = await db.query('select action, actor from api_key_audit where key_id = $1', [id])
  t.deepEqual(rows, [
    { action: 'created', actor: 'tester' },
    { action: 'revoked', actor: 'tester' },
  ])
})

test('a key works until its grace ends', async (t) => {
  const { db, call } = under()
  const ending = await createKey(db, wanted)
  const ended = await createKey(db, wanted)
  const grace = 'update api_key set grace_until = now() + $2::interval where id = $1'
  await db.query(grace, [ending.id, '1 hour'])
  await db.query(grace, [ended.id, '-1 second'])
  t.is((await call('/swaps', { 'X-API-Key': ending.key })).status, 200)
  t.is((await call('/swaps', { 'X-API-Key': ended.key })).status, 401)
})

test('use is noted, once for many requests', async (t) => {
  const { db, call } = under()
  const { id, key } = await createKey(db, wanted)
  const lastUsed = async (): Promise<unknown> =>
    (await listKeys(db)).find((listed) => listed.id === id)?.last_used_at
  t.is(await lastUsed(), null)
  for (let request = 0; request < 5; request++) await call('/swaps', { 'X-API-Key': key })
  t.true(await holdsWithin(60_000, async () => (await lastUsed()) instanceof Date))
})

test('stores only a hash and a hint of a key', async (t) => {
  const { db } = under()
  const { id, key, hint } = await createKey(db, wanted)
  const { rows } = await db.query('select * from api_key where id = $1', [id])
  t.false(JSON.stringify(rows).includes(key.slice(-44)))
  t.is(rows[0].key_hash.length, 32)
  t.is(hint, `${key.slice(-48, -44)}...${key.slice(-4)}`)
  const listed = (await listKeys(db)).find((each) => each.id === id)
  t.like(listed, { hint, tier: 'pro', environment: 'live', account: 'acme', revoked_at: null })
})

test('an id that is no key cannot be revoked', async (t) => {
  await t.throwsAsync(revokeKey(under().db, 999_999, 'tester'), { instanceOf: KeyRefusal })
})
