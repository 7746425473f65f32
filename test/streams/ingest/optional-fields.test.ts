/**
 * Optional fields by kind of line: an invalid one of a token line is ignored with a warning, as are the virtual reserves
 * of a swap; any other of a swap or pool event refuses its line. Lists every optional field with every kind of invalid value.
 */
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import type { Token } from '../../../domain/events/token.ts'
import { decodeEventBatch, encodeEventBatch } from '../../../streams/codec/event-codec.ts'
import { checkEvent, mendSwap, mendToken, parseEvent } from '../../../streams/ingest/contract.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import {
  ABSENT,
  lineWith,
  MINT,
  NOW_MS,
  POOL_EVENT_LINE,
  raw,
  SWAP,
  SWAP_LINE,
  TOKEN_LINE,
  WALLET,
} from '../../support/events/sample-event.ts'

const TOKEN: Token = {
  tokenAddress: MINT,
  slot: 7,
  creator: WALLET,
  decimals: 6,
  symbol: 'SYM',
  name: 'Name',
  supply: 10 ** 15,
  sector: 'meme',
  uri: 'https://example.com/7.json',
}
const { tokenAddress: _, ...OPTIONAL } = TOKEN
const LINE = { ...TOKEN_LINE, ...OPTIONAL }

const BAD_TEXTS = ['a\u0000b', '\ud800', 'x'.repeat(201), 5, true, ['a'], { a: 1 }]
const BAD_INTEGERS = [-1, 0.5, '6', true, [], {}, raw('1e99'), raw('9223372036854775808')]
const BAD_ADDRESSES = ['', 'x', `${WALLET}1`, '0OIl', 5, [WALLET], { a: WALLET }]

/** Each optional field of a token line, with values that it cannot be. */
const BAD: Record<string, readonly unknown[]> = {
  creator: BAD_ADDRESSES,
  decimals: [...BAD_INTEGERS, 19],
  symbol: BAD_TEXTS,
  name: BAD_TEXTS,
  supply: BAD_INTEGERS,
  sector: BAD_TEXTS,
  uri: BAD_TEXTS,
}

for (const [field, values] of Object.entries(BAD)) {
  test(`a ${field} that cannot be used is left out of its token line with a warning`, (t) => {
    for (const value of values) {
      const line = lineWith(LINE, field, value)
      const result = parseEvent(line, NOW_MS)
      if (!('event' in result) || result.event.kind !== 'token') return t.fail(line)
      const { [field as keyof Token]: left, ...rest } = TOKEN
      t.not(left, undefined)
      t.deepEqual(result.event.token, rest as Token, line)
      t.is(result.warnings?.length, 1, line)
      t.is(result.warnings?.[0]?.field, field)
      t.regex(result.warnings?.[0]?.reason ?? '', /^expected .*: the field is left out$/)
    }
  })
}

test('a token line whose mint is refused reports its bad optional fields with it', (t) => {
  const result = parseEvent(lineWith({ ...LINE, decimals: 19 }, 'token_address', 'x'), NOW_MS)
  if ('event' in result) return t.fail()
  t.deepEqual(
    result.refusals.map(({ field, reason }) => [field, reason.endsWith('left out')]),
    [
      ['token_address', false],
      ['decimals', false],
    ],
  )
})

test('virtual reserves that cannot be used are left out of their swap line with a warning', (t) => {
  for (const value of BAD_INTEGERS) {
    const result = parseEvent(lineWith(SWAP_LINE, 'virtual_quote_reserves', value), NOW_MS)
    if (!('event' in result)) return t.fail(JSON.stringify(value))
    t.deepEqual(result.event, { kind: 'swap', swap: SWAP })
    t.is(result.warnings?.length, 1)
    t.is(result.warnings?.[0]?.field, 'virtual_quote_reserves')
    t.regex(result.warnings?.[0]?.reason ?? '', /^expected .*: the field is left out$/)
  }
})

test('virtual reserves are exact, and 0 is not absence, from a file and from the wire', (t) => {
  const given: [unknown, Swap['virtualQuoteReserves']][] = [
    [ABSENT, undefined],
    [null, undefined],
    [0, 0],
    [17_584_025_564, 17_584_025_564],
    [raw('9223372036854775807'), 2n ** 63n - 1n],
  ]
  for (const [value, virtualQuoteReserves] of given) {
    const line = lineWith(SWAP_LINE, 'virtual_quote_reserves', value)
    const event = { kind: 'swap', swap: { ...SWAP, virtualQuoteReserves } } as const
    t.deepEqual(parseEvent(line, NOW_MS), { event }, line)
    t.like(decodeEventBatch(encodeEventBatch([event])), [event])
    t.deepEqual(parseEvent(printEvent(event), NOW_MS), { event })
  }
})

test('a refused swap line reports bad virtual reserves with the rest', (t) => {
  const line = lineWith({ ...SWAP_LINE, virtual_quote_reserves: -1 }, 'slot', 'x')
  const result = parseEvent(line, NOW_MS)
  if ('event' in result) return t.fail()
  t.deepEqual(
    result.refusals.map(({ field }) => field),
    ['slot', 'virtual_quote_reserves'],
  )
})

test('virtual reserves of a decoded swap that cannot be used are left out with a warning', (t) => {
  const swap: Swap = { ...SWAP, virtualQuoteReserves: 2n ** 63n }
  const mended = mendSwap(swap)
  t.deepEqual(mended.swap, SWAP)
  t.deepEqual(
    mended.warnings.map(({ field }) => field),
    ['virtual_quote_reserves'],
  )
  t.is(checkEvent({ kind: 'swap', swap: mended.swap }), undefined)
  t.deepEqual(mendSwap(SWAP), { swap: SWAP, warnings: [] })
})

const STRICT: [line: object, fields: readonly string[]][] = [
  [SWAP_LINE, ['pool_price', 'price_before', 'price_after']],
  [POOL_EVENT_LINE, ['creator', 'from_pair', 'sol_amount', 'token_amount']],
]

for (const [line, fields] of STRICT) {
  for (const field of fields) {
    test(`a ${field} that cannot be used refuses its ${Object.values(line)[0]} line`, (t) => {
      for (const value of [-1, 'x', true, {}]) {
        const result = parseEvent(lineWith(line, field, value), NOW_MS)
        if ('event' in result) return t.fail(JSON.stringify(value))
        t.is(result.refusals[0]?.field, field)
      }
    })
  }
}

/** Texts as Metaplex writes them on chain: names of 32 bytes, symbols of 10, filled up with NULs. */
const PADDED: [given: string, stored: string][] = [
  ['BONK\0\0\0\0\0\0', 'BONK'],
  ['\0\0BONK', 'BONK'],
  [' \t\r\nBONK \u00a0\u3000\ufeff', 'BONK'],
  ['\0 \0BONK\0 \0', 'BONK'],
  ['\0'.repeat(10), ''],
  ['  ', ''],
  // Before the rule on length applies.
  [`${'x'.repeat(200)}${'\0'.repeat(300)}`, 'x'.repeat(200)],
  // Control, zero-width and direction characters inside a text are stored verbatim.
  ['\u200bBO\u0007NK\u202e', '\u200bBO\u0007NK\u202e'],
]

for (const field of ['symbol', 'name', 'sector', 'uri'] as const) {
  test(`padding of a ${field} is no part of it, from a file and from the wire`, (t) => {
    for (const [given, stored] of PADDED) {
      const result = parseEvent(JSON.stringify({ ...LINE, [field]: given }), NOW_MS)
      if (!('event' in result) || result.event.kind !== 'token') return t.fail(given)
      t.deepEqual(result, { event: { kind: 'token', token: { ...TOKEN, [field]: stored } } })
      const token = { ...TOKEN, [field]: given }
      const [decoded] = decodeEventBatch(encodeEventBatch([{ kind: 'token', token }]))
      if (decoded?.kind !== 'token') return t.fail(given)
      t.deepEqual(mendToken(decoded.token), { token: { ...TOKEN, [field]: stored }, warnings: [] })
    }
  })
}

test('a field of a decoded token line that cannot be used is left out with a warning', (t) => {
  const cases: [Partial<Token>, string][] = [
    [{ symbol: 'a\0b' }, 'symbol'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ sector: 'a\0b' }, 'sector'],
    [{ uri: 'x'.repeat(201) }, 'uri'],
    [{ creator: 'x' }, 'creator'],
    [{ decimals: 19 }, 'decimals'],
    [{ supply: 2n ** 63n }, 'supply'],
  ]
  for (const [change, field] of cases) {
    const { token, warnings } = mendToken({ ...TOKEN, ...change })
    const { [field as keyof Token]: _left, ...rest } = TOKEN
    t.deepEqual(token, rest as Token)
    t.deepEqual(
      warnings.map((warning) => warning.field),
      [field],
    )
  }
})
