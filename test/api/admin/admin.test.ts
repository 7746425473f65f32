// /admin/v1 for operators, and its refusals to all others.

import test from 'ava'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import { type Answer, apiForFile, apiUnderTest } from '../../support/api/api-under-test.ts'

const ADMIN_KEY = 'a-long-key-of-the-operators'
const under = apiForFile({ adminKey: ADMIN_KEY })

const operator = (path: string, method = 'POST'): Promise<Answer> =>
  under().call(`/admin/v1${path}`, { Authorization: `Bearer ${ADMIN_KEY}` }, method)
const statusOf = async (key: string): Promise<number> =>
  (await under().call('/swaps', { 'X-API-Key': key })).status

type Made = { id: number; key: string; hint: string; grace_until: string }
const madeOf = ({ body }: Answer): Made => body.data as unknown as Made

test('creates a key, lists it by its hint, rotates and revokes it, and records that in the audit log', async (t) => {
  const created = await operator('/keys?tier=developer&env=live&account=acme')
  t.is(created.status, 200)
  t.is(created.headers.get('Cache-Control'), 'no-store')
  const old = madeOf(created)
  t.is(await statusOf(old.key), 200)
  const rotated = await operator(`/keys/${old.id}/rotate`)
  t.is(rotated.status, 200)
  const made = madeOf(rotated)
  t.true(Date.parse(made.grace_until) > Date.now() + 6.9 * 86_400_000)
  t.is(await statusOf(made.key), 200)
  t.is(await statusOf(old.key), 200)
  t.is((await operator(`/keys/${old.id}/revoke`)).status, 200)
  t.true(await holdsWithin(60_000, async () => (await statusOf(old.key)) === 401))
  t.is(await statusOf(made.key), 200)
  const list = await operator('/keys', 'GET')
  t.false(list.text.includes(made.key.slice(-40)))
  t.like(
    list.body.data.find(({ id }) => id === made.id),
    { hint: made.hint, tier: 'developer', environment: 'live', account: 'acme', revoked_at: null },
  )
  const audit = await operator('/audit?limit=1000', 'GET')
  const actions = audit.body.data
    .filter(({ key_id }) => key_id === old.id)
    .map(({ action, actor }) => `${action} by ${actor}`)
  t.deepEqual(actions, ['revoked by admin', 'rotated by admin', 'created by admin'])
})

test('accepts only the operator token on operator routes', async (t) => {
  const { call, key } = under()
  const refused: Record<string, string>[] = [
    {},
    { 'X-API-Key': key },
    { Authorization: `Bearer ${key}` },
    { Authorization: `Bearer ${ADMIN_KEY}x` },
    { Authorization: 'Bearer' },
    { Authorization: ADMIN_KEY },
    { 'X-API-Key': ADMIN_KEY },
  ]
  for (const headers of refused) {
    for (const [path, method] of [
      ['/admin/v1/keys', 'GET'],
      ['/admin/v1/keys?tier=pro&env=live&account=a', 'POST'],
      ['/admin/v1/keys/1/revoke', 'POST'],
    ] as const) {
      const { status, body } = await call(path, headers, method)
      t.is(status, 401)
      t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
    }
  }
  t.is((await call('/swaps', { Authorization: `Bearer ${ADMIN_KEY}` })).status, 401)
})

test('an unknown path is 404 to an operator, and 401 to others as anywhere', async (t) => {
  const { call, key } = under()
  const unknown: [string, string][] = [
    ['/admin/v1/nope', 'GET'],
    ['/admin/nope', 'GET'],
    ['/admin/nope', 'POST'],
    ['/metrics/nope', 'GET'],
    ['/Admin/v1/nope', 'GET'],
  ]
  for (const [path, method] of unknown) {
    const answer = await call(path, { Authorization: `Bearer ${ADMIN_KEY}` }, method)
    t.is(answer.status, 404, path)
    t.like(answer.body, { error: { code: 'NOT_FOUND', message: `no route "${method} ${path}"` } })
    t.is((await call(path, { 'X-API-Key': key }, method)).status, 404)
    t.is((await call(path, {}, method)).status, 401)
    t.is((await call(path, { Authorization: `Bearer ${ADMIN_KEY}x` }, method)).status, 401)
  }
  t.is((await call('/nope', { Authorization: `Bearer ${ADMIN_KEY}` })).status, 401)
  t.is((await call('/administrator', { Authorization: `Bearer ${ADMIN_KEY}` })).status, 401)
})

test('a method that a path of operators does not have is 405 for everyone', async (t) => {
  const { call } = under()
  for (const headers of [{ Authorization: `Bearer ${ADMIN_KEY}` }, {}]) {
    t.is((await call('/admin/v1/keys', headers, 'DELETE')).status, 405)
  }
})

test('reports a wrong operator token as wrong, and explains how to send a missing one', async (t) => {
  const { call } = under()
  const messageFor = async (headers: Record<string, string>) => {
    const { body } = await call('/admin/v1/keys', headers)
    return (body as unknown as { error: { message: string } }).error.message
  }
  t.regex(
    await messageFor({ Authorization: `Bearer ${ADMIN_KEY}x` }),
    /^the operator token is wrong/,
  )
  t.regex(await messageFor({}), /^operators only: send Authorization: Bearer/)
  t.regex(await messageFor({ Authorization: ADMIN_KEY }), /^operators only: send/)
})

test('refuses an impossible change of a key and names the reason', async (t) => {
  const table: [string, number, RegExp][] = [
    ['/keys?env=live&account=a', 400, /tier/],
    ['/keys?tier=gold&env=live&account=a', 400, /tier/],
    ['/keys?tier=pro&env=live', 400, /account/],
    ['/keys/0/revoke', 400, /id/],
    ['/keys/999999/revoke', 404, /key \\"999999\\" not found/],
    ['/keys/999999/rotate', 404, /key \\"999999\\" not found/],
  ]
  for (const [path, status, text] of table) {
    const answer = await operator(path)
    t.is(answer.status, status, path)
    t.regex(answer.text, text)
  }
  const { id } = madeOf(await operator('/keys?tier=free&env=test&account=a'))
  t.is((await operator(`/keys/${id}/revoke`)).status, 200)
  t.is((await operator(`/keys/${id}/revoke`)).status, 200)
  const again = await operator(`/keys/${id}/rotate`)
  t.is(again.status, 400)
  t.regex(again.text, /is revoked/)
})

test("without an operators' key there is no /admin", async (t) => {
  const own = await apiUnderTest(t)
  const { status } = await own.call('/admin/v1/keys', { Authorization: 'Bearer undefined' })
  t.is(status, 401)
  t.is((await own.get('/admin/v1/keys')).status, 404)
  t.false((await own.call('/openapi.json')).text.includes('/admin'))
})

test('the log contains neither the key of operators nor a new one', async (t) => {
  const { key } = madeOf(await operator('/keys?tier=free&env=test&account=log'))
  await under().call(`/admin/v1/keys?api_key=${ADMIN_KEY}`, {})
  const text = under().lines.join('\n')
  t.true(text.includes('/admin/v1/keys'))
  t.false(text.includes(ADMIN_KEY))
  t.false(text.includes(key))
})
