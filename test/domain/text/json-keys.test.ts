/**
 * A repeated key refuses its line: which of two slots counts is ambiguous. Hand-written cases, then any object in any
 * spelling against a reading of its members one by one.
 */
import test from 'ava'
import fc from 'fast-check'
import { parseExactObject } from '../../../domain/text/exact-json.ts'
import { parseEvent } from '../../../streams/ingest/contract.ts'
import { operatorLines } from '../../../streams/ingest/operator-line.ts'
import { explainRefusal } from '../../../streams/ingest/refusal.ts'
import { anyText } from '../../support/events/any-text.ts'
import {
  MINT,
  NOW_MS,
  POOL_EVENT_LINE,
  SWAP_LINE,
  TOKEN_LINE,
} from '../../support/events/sample-event.ts'

const after = (line: object, members: string): string =>
  `${JSON.stringify(line).slice(0, -1)},${members}}`

const REPEATED: [what: string, line: string, said: string][] = [
  ['a swap', after(SWAP_LINE, '"slot":401'), 'slot 401'],
  ['the same value', after(SWAP_LINE, '"dex":1'), 'dex 1'],
  ['spaces', after(SWAP_LINE, ' "slot" \t: 401 '), 'slot 401'],
  ['an escaped spelling', after(SWAP_LINE, '"sl\\u006ft":401'), 'slot 401'],
  ['another escaped spelling', after(SWAP_LINE, '"\\u0073lot":"x"'), 'slot "x"'],
  ['a pool event', after(POOL_EVENT_LINE, '"event":"migrated"'), 'event "migrated"'],
  ['a token line', after(TOKEN_LINE, `"token_address":"${MINT}"`), `token_address "${MINT}"`],
  ['the kind', after(SWAP_LINE, '"kind":"token"'), 'kind "token"'],
  ['a key that nobody knows', after(SWAP_LINE, '"x":1,"x":[1,2]'), 'x [1'],
  ['a nested object', after(SWAP_LINE, '"more":{"a":1,"b":{"c":1,"c":2}}'), 'c 2'],
  ['an object in a list', after(SWAP_LINE, '"more":[1,{"a":null,"a":true}]'), 'a true'],
  ['a text with quotes', after(TOKEN_LINE, '"name":"a\\"b","name":"c"'), 'name "c"'],
  ['an empty key', after(TOKEN_LINE, '"":1,"":2'), ' 2'],
  ['a key of the prototype', after(TOKEN_LINE, '"__proto__":1,"__proto__":2'), '__proto__ 2'],
]

for (const [what, line, said] of REPEATED) {
  test(`refuses a line with a repeated key: ${what}`, (t) => {
    const result = parseEvent(line, NOW_MS)
    if ('event' in result) return t.fail()
    t.deepEqual(result.refusals.map(explainRefusal), [`${said}: expected the key once in the line`])
    // Operators' files go by the same rule.
    t.deepEqual(operatorLines([])(line), { refusals: result.refusals })
  })
}

const ONCE: [what: string, members: string][] = [
  [
    'the same key in different objects',
    '"a":{"slot":1},"b":{"slot":2},"c":[{"slot":3},{"slot":4}]',
  ],
  ['a key as a value', '"a":"slot","b":"a"'],
  ['quotes and colons in texts', '"a":"\\"slot\\":1","b":"{\\"a\\":1,\\"a\\":2}"'],
  ['keys that differ by case', '"Slot":1,"SLOT":2'],
]

for (const [what, members] of ONCE) {
  test(`accepts a line with unique keys: ${what}`, (t) => {
    t.true('event' in parseEvent(after(SWAP_LINE, members), NOW_MS))
  })
}

test('distinguishes two files joined without a line feed from other broken JSON', (t) => {
  const result = parseEvent(`${JSON.stringify(TOKEN_LINE)}\ufeff${JSON.stringify(TOKEN_LINE)}`, 0)
  if ('event' in result) return t.fail()
  t.regex(result.refusals[0]?.reason ?? '', /byte order mark.* joined without a line feed$/)
})

/** Members as pairs of a key's and a value's JSON text, the key in any spelling. */
const keys = fc.oneof(fc.constantFrom('a', 'b', '"', '\\', '', 'é'), anyText(2))
const spellings = fc.tuple(keys, fc.boolean()).map(([key, isEscaped]): [string, string] => {
  const units = key
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [key, isEscaped ? `"${units.join('')}"` : JSON.stringify(key)]
})
const values = fc.oneof(
  fc.constantFrom('1', 'null', '"a"', '"\\"a\\":"', '[]', '[{"a":1}]', '{"b":{"a":2}}'),
  anyText(3).map((text) => JSON.stringify(text)),
)

test('refuses a line of any members if and only if a key is repeated', (t) => {
  const members = fc.array(fc.tuple(spellings, values), { maxLength: 6 })
  fc.assert(
    fc.property(members, fc.constantFrom('', ' ', '\t\r'), (pairs, space) => {
      const written = pairs.map(([[, key], value]) => `${space}${key}${space}:${space}${value}`)
      const parsed = parseExactObject(`{${written.join()}${space}}`, new Set())
      if (parsed === undefined) return t.fail(written.join())
      const isRepeated = new Set(pairs.map(([[key]]) => key)).size < pairs.length
      t.is('repeated' in parsed, isRepeated)
    }),
    { numRuns: 2_000 },
  )
})
