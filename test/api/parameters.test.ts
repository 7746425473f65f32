// Texts of the query into exact values, or a refusal that names the parameter and shows the value.
// Pure.

import test from 'ava'
import fc from 'fast-check'
import Type from 'typebox'
import { ApiError } from '../../api/error.ts'
import { parserOf, readLamports } from '../../api/parameters.ts'
import { int64 } from '../../api/schema.ts'
import { INT64_MAX, INT64_MIN } from '../../streams/amount.ts'

const parse = parserOf(Type.Object({ at: int64({ description: 'any int64' }) }))

test('an int64 is read from its digits, ends included', (t) => {
  t.deepEqual(parse({ at: '9223372036854775807' }), { at: INT64_MAX })
  t.deepEqual(parse({ at: '-9223372036854775808' }), { at: INT64_MIN })
  t.deepEqual(parse({ at: '9007199254740993' }), { at: 9007199254740993n })
  t.deepEqual(parse({ at: '9007199254740991' }), { at: 9007199254740991 })
})

test('what is no int64 is refused by name, with the value', (t) => {
  const texts = ['9223372036854775808', '-9223372036854775809', '', ' 1', '1.0', '0x10', '+1', '1n']
  for (const text of texts) {
    const error = t.throws(() => parse({ at: text }), { instanceOf: ApiError })
    t.is(error?.code, 'INVALID_PARAM')
    t.true(error?.message.startsWith(`at "${text}": expected an integer`))
  }
})

test('a required parameter that is absent is MISSING_PARAM', (t) => {
  t.is(t.throws(() => parse({}), { instanceOf: ApiError })?.code, 'MISSING_PARAM')
})

test('SOL become lamports from their digits; what is finer than a lamport rounds up', (t) => {
  const table: [string, bigint | undefined][] = [
    ['0', 0n],
    ['50', 50_000_000_000n],
    ['0.1', 100_000_000n],
    // 0.1 + 0.2 as a double would be 300000000.00000004.
    ['0.3', 300_000_000n],
    ['0.000000001', 1n],
    ['0.0000000001', 1n],
    ['0.0000000010', 1n],
    ['9007199.254740993', 9_007_199_254_740_993n],
    ['', undefined],
    ['.5', undefined],
    ['5.', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['1,5', undefined],
  ]
  for (const [text, lamports] of table) t.is(readLamports(text), lamports, text)
})

test('any count of lamports written as SOL reads back as itself', (t) => {
  fc.assert(
    fc.property(fc.bigInt(0n, INT64_MAX), (lamports) => {
      const text = `${lamports / 1_000_000_000n}.${String(lamports % 1_000_000_000n).padStart(9, '0')}`
      t.is(readLamports(text), lamports)
    }),
  )
})
