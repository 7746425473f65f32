// Writers out of schemas: order, exact integers, and only fields of the schema. Pure.

import test from 'ava'
import fc from 'fast-check'
import Type from 'typebox'
import { writeExact, writerOf } from '../../../api/routing/json.ts'
import { nullable } from '../../../api/routing/schema.ts'
import { INT64_MAX, INT64_MIN } from '../../../domain/amount.ts'
import { anyText } from '../../support/events/any-text.ts'

const row = Type.Object({
  b: Type.Integer(),
  a: Type.Optional(Type.String()),
  n: nullable(Type.Number()),
  list: Type.Array(Type.Object({ ok: Type.Boolean() })),
})
const write = writerOf(row)

test('writes fields in the order of the schema, and omits unnamed ones', (t) => {
  const value = { list: [{ ok: true, hidden: 1 }, { ok: false }], n: null, b: 1, secret: 'x' }
  t.is(write(value), '{"b":1,"n":null,"list":[{"ok":true},{"ok":false}]}')
})

test('integers are written digit for digit', (t) => {
  for (const b of [INT64_MAX, INT64_MIN, 0, -1, Number.MAX_SAFE_INTEGER]) {
    t.is(write({ b, n: 0.1, list: [] }), `{"b":${b},"n":0.1,"list":[]}`)
  }
})

test('null is null where the schema has a text or a number', (t) => {
  const texts = writerOf(Type.Object({ a: Type.String(), b: Type.Integer() }))
  t.is(texts({ a: null, b: null }), '{"a":null,"b":null}')
})

test('numbers that JSON does not know are null', (t) => {
  t.is(write({ b: 1, n: Number.NaN, list: [] }), '{"b":1,"n":null,"list":[]}')
  t.is(write({ b: 1, n: Number.POSITIVE_INFINITY, list: [] }), '{"b":1,"n":null,"list":[]}')
})

test('writes JSON that reads back the same, for any values', (t) => {
  const value = fc.record({
    b: fc.maxSafeInteger(),
    a: anyText(),
    n: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0)),
    list: fc.array(fc.record({ ok: fc.boolean() })),
  })
  fc.assert(fc.property(value, (each) => t.deepEqual(JSON.parse(write(each)), each)))
  fc.assert(
    fc.property(fc.jsonValue(), (each) => {
      t.deepEqual(JSON.parse(writeExact(each)), JSON.parse(JSON.stringify(each)))
    }),
  )
})
