// The caller's identity as passed to a handler, and the key of cached answers. The reader of these routes is never
// called.

import test from 'ava'
import Type from 'typebox'
import { ANY_CALLER, type Caller } from '../../../api/routing/caller.ts'
import type { Reading } from '../../../api/routing/declaration.ts'
import { createReader } from '../../../api/routing/reading/reader.ts'
import { pathsOf, route } from '../../../api/routing/route.ts'

const DEVELOPER: Caller = { keyId: 7, tier: 'developer', lineage: 'a' }
const FREE: Caller = { keyId: 8, tier: 'free', lineage: 'b' }

const reader = createReader('postgres://127.0.0.1:1/none', { deadlineMs: 1_000 })
test.after.always(() => reader.end())

const requesting = (caller: Caller): Reading => ({
  reader,
  signal: new AbortController().signal,
  caller,
})

const described = {
  path: '/who/{name}',
  operationId: 'getCaller',
  family: 'enveloped',
  summary: 'The caller',
  parameters: Type.Object({ name: Type.String() }),
  answer: Type.Object({ key_id: Type.Integer(), tier: Type.String() }),
  errors: [],
  example: {},
  respond: async (_requested: { name: string }, { caller: { keyId, tier } }: Reading) => ({
    key_id: keyId,
    tier,
  }),
} as const

test('passes the key, tier and lineage of a request to the handler', async (t) => {
  const { respond, cacheName } = route(described)
  t.is(
    (await respond({ name: 'a' }, requesting(DEVELOPER))).body,
    '{"key_id":7,"tier":"developer"}',
  )
  t.is((await respond({ name: 'a' }, requesting(FREE))).body, '{"key_id":8,"tier":"free"}')
  t.is(cacheName, undefined)
})

test('caches an answer for all once, and computes it without a caller', async (t) => {
  const { respond, cacheName } = route({ ...described, cacheSeconds: 5 })
  const { body } = await respond({ name: 'a' }, requesting(DEVELOPER))
  t.is(body, `{"key_id":${ANY_CALLER.keyId},"tier":"free"}`)
  t.is(cacheName?.({ name: 'a' }, DEVELOPER), cacheName?.({ name: 'a' }, FREE))
})

test('an answer that hangs on the tier is never shared with another tier', async (t) => {
  const { respond, cacheName } = route({
    ...described,
    cacheSeconds: 5,
    cacheBy: ({ tier }) => tier,
  })
  t.is(
    (await respond({ name: 'a' }, requesting(DEVELOPER))).body,
    '{"key_id":7,"tier":"developer"}',
  )
  t.not(cacheName?.({ name: 'a' }, DEVELOPER), cacheName?.({ name: 'a' }, FREE))
  const other: Caller = { keyId: 9, tier: 'developer', lineage: 'c' }
  t.is(cacheName?.({ name: 'a' }, DEVELOPER), cacheName?.({ name: 'a' }, other))
  t.not(cacheName?.({ name: 'a' }, DEVELOPER), cacheName?.({ name: 'b' }, DEVELOPER))
})

test('does not add a path without its last parameter where another route matches it', (t) => {
  const routes = ['/a', '/a/b/{x}', '/a/{y}', '/c/d/{x}', '/c/{y}/e', '/f/{x}'] as const
  const all = routes.map((path) => ({ path }))
  t.deepEqual(
    all.map((each) => pathsOf(each, all)),
    [['/a'], ['/a/b/{x}', '/a/b'], ['/a/{y}'], ['/c/d/{x}'], ['/c/{y}/e'], ['/f/{x}']],
  )
})
