// JSON of the API as the pages read it: no integer loses a digit.

import test from 'ava'
import fc from 'fast-check'
import { parseExact } from '../../../web/client/exact-json.ts'

test('an integer beyond 2^53 is a bigint, others are numbers', (t) => {
  const text =
    '{"a":9223372036854775807,"b":[-9007199254740993,9007199254740991],"c":1.5e-8,"d":"9223372036854775807"}'
  t.deepEqual(parseExact(text), {
    a: 9_223_372_036_854_775_807n,
    b: [-9_007_199_254_740_993n, 9_007_199_254_740_991],
    c: 1.5e-8,
    d: '9223372036854775807',
  })
  t.is(parseExact('12345678901234567'), 12_345_678_901_234_567n)
  t.deepEqual(parseExact('{"x": 0.1234567890123456789}'), { x: 0.12345678901234568 })
})

test('any int64 in any position is read exactly', (t) => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  fc.assert(
    fc.property(
      fc.array(int64),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (values, double) => {
        const text = `{"list":[${values.join(',')}],"first":${values[0] ?? 0},"double":${JSON.stringify(double)}}`
        const {
          list,
          first,
          double: read,
        } = parseExact(text) as {
          list: (number | bigint)[]
          first: number | bigint
          double: number | bigint
        }
        t.deepEqual(list.map(BigInt), values)
        t.is(BigInt(first), values[0] ?? 0n)
        t.is(Number(read), JSON.parse(JSON.stringify(double)))
      },
    ),
  )
})
