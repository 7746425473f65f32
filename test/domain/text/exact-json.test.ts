/** Exact JSON: long integers keep their digits, everything else is what JSON.parse reads. */
import test from 'ava'
import { parseExact } from '../../../domain/text/exact-json.ts'

const EXACT: readonly [text: string, value: unknown][] = [
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775808', -9223372036854775808n],
  ['{"a":[18446744073709551615,1]}', { a: [18446744073709551615n, 1] }],
  // A fraction and an exponent are no integers of the text: doubles, as JSON.parse reads them.
  ['0.12345678901234567', Number('0.12345678901234567')],
  ['1234567890123456789.5', 1234567890123456800],
  ['12345678901234567890e2', Number('12345678901234567890e2')],
  ['"9007199254740993"', '9007199254740993'],
  ['null', null],
]

for (const [text, value] of EXACT) {
  test(`parses ${text} exactly`, (t) => t.deepEqual(parseExact(text), value))
}

test('refuses what is no JSON, with or without long integers', (t) => {
  t.throws(() => parseExact('{'), { instanceOf: SyntaxError })
  t.throws(() => parseExact('[9007199254740993,]'), { instanceOf: SyntaxError })
})
