// Texts of the query into exact values, or a refusal that names the parameter and shows the value.
// Pure.

import test from 'ava'
import fc from 'fast-check'
import Type from 'typebox'
import { ApiError } from '../../../api/routing/error.ts'
import { parserOf } from '../../../api/routing/parameters.ts'
import { int64, pnlMode, unknownNames, utcDate } from '../../../api/routing/schema.ts'
import { INT64_MAX, INT64_MIN, readLamports } from '../../../domain/amount.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'

const parse = parserOf(Type.Object({ at: int64({ description: 'any int64' }) }))

test('an int64 is read from its digits, ends included', (t) => {
  t.deepEqual(parse({ at: '9223372036854775807' }), { at: INT64_MAX })
  t.deepEqual(parse({ at: '-9223372036854775808' }), { at: INT64_MIN })
  t.deepEqual(parse({ at: '9007199254740993' }), { at: 9007199254740993n })
  t.deepEqual(parse({ at: '9007199254740991' }), { at: 9007199254740991 })
})

test('refuses a value that is no int64, with its name and value', (t) => {
  const texts = ['9223372036854775808', '-9223372036854775809', '', ' 1', '1.0', '0x10', '+1', '1n']
  for (const text of texts) {
    const error = t.throws(() => parse({ at: text }), { instanceOf: ApiError })
    t.is(error?.code, 'INVALID_PARAM')
    t.true(error?.message.startsWith(`at "${text}": expected an integer`))
  }
})

test('a decimal may be the bound itself', (t) => {
  const parseDecimal = parserOf(Type.Object({ at: Type.Number({ minimum: -1e15, maximum: 1e15 }) }))
  t.deepEqual(parseDecimal({ at: '1000000000000000' }), { at: 1e15 })
  t.deepEqual(parseDecimal({ at: '-1000000000000000.0' }), { at: -1e15 })
  for (const at of ['1000000000000001', '9999999999999999', '10000000000000000']) {
    t.throws(() => parseDecimal({ at }), { instanceOf: ApiError, message: /expected a decimal/ })
  }
})

test('a long value is shown in part, and no character by half', (t) => {
  const text = `${'9'.repeat(99)}\u{1f600}${'9'.repeat(9)}`
  const error = t.throws(() => parse({ at: text }), { instanceOf: ApiError })
  t.true(error?.message.startsWith(`at "${'9'.repeat(99)}`))
  t.true(error?.message.isWellFormed())
  t.true((error?.message.length ?? 0) < 200)
})

test('a required parameter that is absent is MISSING_PARAM', (t) => {
  t.is(t.throws(() => parse({}), { instanceOf: ApiError })?.code, 'MISSING_PARAM')
})

test('converts SOL to lamports from their digits, and rounds fractions of a lamport up', (t) => {
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
    ['1,5', undefined],
    // Notations in which JavaScript and Python print small and large numbers.
    ['1e-7', 100n],
    ['1.5e-7', 150n],
    ['1.23e-9', 2n],
    ['1e-10', 1n],
    ['9.99e-999', 1n],
    ['0e-9', 0n],
    ['1e3', 1_000_000_000_000n],
    ['1E+3', 1_000_000_000_000n],
    ['0.9007199254740993e7', 9_007_199_254_740_993n],
    ['900719925474.0993e-5', 9_007_199_254_740_993n],
    ['1e12', 10n ** 21n],
    ['1.1e12', undefined],
    ['1e999', undefined],
    ['1e1000', undefined],
    ['-1e-7', undefined],
    ['1e', undefined],
    ['1e1.5', undefined],
    ['e7', undefined],
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

test('a pnl_mode is one of three, and adjusted for any other value', (t) => {
  const parseMode = parserOf(Type.Object({ pnl_mode: pnlMode }))
  for (const mode of ['raw', 'strict', 'adjusted']) {
    t.deepEqual(parseMode({ pnl_mode: mode }), { pnl_mode: mode })
  }
  for (const given of [undefined, '', 'RAW', 'fifo']) {
    t.deepEqual(parseMode({ pnl_mode: given }), { pnl_mode: 'adjusted' }, String(given))
  }
})

test('refuses several values of a parameter that is no list, also with one value', (t) => {
  const single = {
    at: int64({ description: 'a place' }),
    pnl_mode: pnlMode,
    flag: Type.Boolean({ default: false }),
    side: Type.Enum(['a', 'b'], { default: 'a' }),
    least: Type.Number({ minimum: 0, maximum: 1 }),
    day: utcDate({ description: 'a date' }),
  }
  const parseEach = parserOf(Type.Partial(Type.Object(single)))
  for (const [name, value] of Object.entries({
    at: '1',
    pnl_mode: 'raw',
    flag: 'true',
    side: 'a',
    least: '1',
    day: '2026-08-01',
  })) {
    t.notThrows(() => parseEach({ [name]: value }))
    for (const given of [
      [value, value],
      [value, 'other', ''],
    ]) {
      const error = t.throws(() => parseEach({ [name]: given }), { instanceOf: ApiError })
      t.is(error?.code, 'INVALID_PARAM')
      t.is(error?.message, `${name} is given ${given.length} times: give it once`)
    }
  }
})

test('dates are of the calendar, and from is not later than to', (t) => {
  const date = Type.Optional(utcDate({ description: 'a date' }))
  const parseDates = parserOf(Type.Object({ from: date, to: date }))
  const days = { from: '2026-08-01', to: '2026-08-01' }
  t.deepEqual(parseDates(days), days)
  t.deepEqual(parseDates({}), {})
  const refused: [Record<string, string>, RegExp][] = [
    [{ from: '2026-02-30' }, /^from "2026-02-30": expected a date of the calendar, YYYY-MM-DD$/],
    [{ to: '1785542400000' }, /^to "1785542400000": expected a date/],
    [{ from: '2026-08-02', to: '2026-08-01' }, /^from "2026-08-02": expected no later than to/],
  ]
  for (const [given, text] of refused) {
    const error = t.throws(() => parseDates(given), { instanceOf: ApiError })
    t.is(error?.code, 'INVALID_PARAM')
    t.regex(error?.message ?? '', text)
  }
})

test('a list is separated by commas or given several times, each value once', (t) => {
  const list = Type.Array(Type.String({ format: 'address' }), { minItems: 1, maxItems: 3 })
  const parseList = parserOf(Type.Object({ mints: list, 'more[]': Type.Optional(list) }))
  const [a, b, c, d] = [1, 2, 3, 4].map((n) => encodeBase58(new Uint8Array(32).fill(n)))
  t.deepEqual(parseList({ mints: `${a},${b},${a}` }), { mints: [a, b] })
  t.deepEqual(parseList({ mints: a, 'more[]': [b, `${c},${a}`] }), {
    mints: [a],
    'more[]': [b, c, a],
  })
  const refused: [Record<string, string>, string, RegExp][] = [
    [{}, 'MISSING_PARAM', /^mints is required$/],
    [{ mints: '' }, 'INVALID_PARAM', /^mints "": expected an address/],
    [{ mints: `${a},,${b}` }, 'INVALID_PARAM', /^mints "": expected an address/],
    [{ mints: `${a},no0pe` }, 'INVALID_PARAM', /^mints "no0pe": expected an address/],
    [{ mints: [a, b, c, d].join() }, 'INVALID_PARAM', /^mints: expected 1 to 3 values, not 4$/],
    [{ mints: a!, 'more[]': 'x' }, 'INVALID_PARAM', /^more\[\] "x": expected an address/],
  ]
  for (const [given, code, text] of refused) {
    const error = t.throws(() => parseList(given), { instanceOf: ApiError })
    t.is(error?.code as string, code)
    t.regex(error?.message ?? '', text)
  }
})

test('reports unknown parameters to the client, with keys masked and api_key excepted', (t) => {
  const schema = Type.Object({ q: Type.String({ maxLength: 9 }), unsupported: unknownNames })
  const parseNames = parserOf(schema)
  const key = `ohlcv_test_sk_${'a'.repeat(48)}`
  t.deepEqual(parseNames({ q: 'x', api_key: key }), { q: 'x', unsupported: [] })
  const { unsupported } = parseNames({ q: 'x', color: '1', unsupported: '2', [key]: '3' })
  t.deepEqual((unsupported as string[]).slice(0, 2), ['color', 'unsupported'])
  t.false(String(unsupported).includes('aaaa'))
})

test('a number of JSON is read as the nearest double, within its bounds', (t) => {
  const schema = Type.Number({ minimum: 0, maximum: 1_000 })
  const parseNumber = parserOf(Type.Object({ at_least: schema }))
  for (const [text, value] of [
    ['0', 0],
    ['0.1', 0.1],
    ['1000', 1_000],
    ['007.50', 7.5],
    ['1e3', 1_000],
    ['1e-7', 1e-7],
    ['2.9999999999999997e-05', 2.9999999999999997e-5],
    ['1E+2', 100],
    ['1e-999', 0],
  ] as const) {
    t.deepEqual(parseNumber({ at_least: text }), { at_least: value })
  }
  for (const text of [
    '',
    'NaN',
    '1e4',
    '1e999',
    '1e',
    '1.e3',
    'e3',
    '-1',
    '-1e-7',
    '1000.1',
    'Infinity',
    '0x10',
    ' 1',
    '1,5',
    '.5',
  ]) {
    const error = t.throws(() => parseNumber({ at_least: text }), { instanceOf: ApiError })
    t.is(error?.message, `at_least "${text}": expected a decimal of 0 to 1000`)
  }
})
