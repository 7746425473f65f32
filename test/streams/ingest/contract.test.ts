/** The ingest contract: accepted fields and their exactness, the real files, both directions of any event. */
import { readFileSync } from 'node:fs'
import test from 'ava'
import fc from 'fast-check'
import type { Event } from '../../../domain/events/event.ts'
import { checkEvent, parseEvent } from '../../../streams/ingest/contract.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import type { Refusal } from '../../../streams/ingest/refusal.ts'
import { anyText } from '../../support/events/any-text.ts'
import {
  anyEvent,
  lineWith,
  MINT,
  NOW_MS,
  POOL,
  POOL_EVENT_LINE,
  raw,
  SIGNATURE,
  SWAP_LINE,
  swapEvent,
  TOKEN_LINE,
  WALLET,
} from '../../support/events/sample-event.ts'

function refusalsOf(line: string): Refusal[] {
  const result = parseEvent(line, NOW_MS)
  return 'refusals' in result ? result.refusals : []
}

test('a swap with only its required fields gets 0 for the rest, and no price', (t) => {
  t.deepEqual(parseEvent(JSON.stringify(SWAP_LINE), NOW_MS), { event: swapEvent() })
})

test('null prices count as absent, a price of 0 is one', (t) => {
  const line = { ...SWAP_LINE, pool_price: null, price_before: 0, price_after: 1e-9 }
  t.deepEqual(parseEvent(JSON.stringify(line), NOW_MS), {
    event: swapEvent({ priceBefore: 0, priceAfter: 1e-9 }),
  })
})

test('ignores fields outside the contract, even in the name of a decoded field', (t) => {
  const line = { ...SWAP_LINE, solAmount: 1, memo: { deep: [1] }, price_impact_bps: 12 }
  t.deepEqual(parseEvent(JSON.stringify(line), NOW_MS), { event: swapEvent() })
})

const EXACT: [text: string, exact: number | bigint][] = [
  ['9007199254740991', 9007199254740991],
  // The first integer that a double cannot distinguish from its neighbour.
  ['9007199254740993', 9007199254740993n],
  ['9223372036854775807', 9223372036854775807n],
  ['9223372036854775807.0', 9223372036854775807n],
  ['9.223372036854775807e18', 9223372036854775807n],
  ['1e3', 1000],
  ['-0', 0],
  ['1.0', 1],
]

for (const [text, exact] of EXACT) {
  test(`the lamports ${text} are read as ${exact}`, (t) => {
    const line = lineWith({ ...SWAP_LINE, fee: 7 }, 'sol_amount', raw(text))
    t.deepEqual(parseEvent(line, NOW_MS), { event: swapEvent({ solAmount: exact, fee: 7 }) })
  })
}

for (const text of [
  '0.99999999999999999999',
  '4503599627370497.5',
  '9007199254740991.5',
  '1.00000000000000000001',
]) {
  test(`the lamports ${text}, which a double rounds to an integer, are refused`, (t) => {
    const line = lineWith({ ...SWAP_LINE, fee: 7 }, 'sol_amount', raw(text))
    const [refusal, ...others] = refusalsOf(line)
    t.is(refusal?.field, 'sol_amount')
    t.deepEqual(others, [])
  })
}

test('accepts both ends of each range', (t) => {
  const first = { ...SWAP_LINE, timestamp: Date.UTC(2020, 0, 1), dex: 10, quote_decimals: 18 }
  const last = { ...SWAP_LINE, timestamp: NOW_MS + 600_000, quote_decimals: 0, base_decimals: 9 }
  t.deepEqual(refusalsOf(JSON.stringify(first)), [])
  t.deepEqual(refusalsOf(JSON.stringify(last)), [])
  const slots = {
    ...SWAP_LINE,
    slot: 2 ** 53 - 1,
    block_tx_index: 2 ** 53 - 1,
    ix_index: 2 ** 31 - 1,
  }
  t.deepEqual(refusalsOf(JSON.stringify(slots)), [])
})

test('a name of 200 characters beyond the basic plane is allowed, of 201 it is not', (t) => {
  const warnedOf = (name: string) => {
    const result = parseEvent(JSON.stringify({ ...TOKEN_LINE, name }), NOW_MS)
    return 'event' in result ? (result.warnings ?? []).map(({ field }) => field) : undefined
  }
  t.deepEqual(warnedOf('😀'.repeat(200)), [])
  t.deepEqual(warnedOf('😀'.repeat(201)), ['name'])
})

test('reads pool events and token lines with all optional fields', (t) => {
  const poolEvent = {
    ...POOL_EVENT_LINE,
    event: 'migrated',
    dex: 2,
    creator: WALLET,
    from_pair: MINT,
    sol_amount: 5,
    token_amount: null,
    block_tx_index: 3,
    ix_index: 4,
  }
  t.deepEqual(parseEvent(JSON.stringify(poolEvent), NOW_MS), {
    event: {
      kind: 'pool_event',
      poolEvent: {
        event: 'migrated',
        signature: SIGNATURE,
        slot: 400,
        timestamp: NOW_MS,
        pairAddress: POOL,
        tokenAddress: MINT,
        dex: 2,
        creator: WALLET,
        fromPair: MINT,
        solAmount: 5,
        blockTxIndex: 3,
        ixIndex: 4,
      },
    },
  })
  const token = { ...TOKEN_LINE, creator: WALLET, decimals: 6, symbol: 'A', name: null, supply: 9 }
  t.deepEqual(parseEvent(JSON.stringify(token), NOW_MS), {
    event: {
      kind: 'token',
      token: { tokenAddress: MINT, slot: 0, creator: WALLET, decimals: 6, symbol: 'A', supply: 9 },
    },
  })
})

test('any printed event is parsed back as itself, and satisfies the rules', (t) => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      const line = printEvent(event)
      t.notRegex(line, /\n/)
      t.deepEqual(parseEvent(line, NOW_MS), { event })
      t.is(checkEvent(event), undefined)
    }),
    { numRuns: 500 },
  )
})

test('any text is an event or refused with a reason, never an error', (t) => {
  const fields = fc.constantFrom(...Object.keys(SWAP_LINE), 'fee', 'pool_price', 'event', 'name')
  const lines = fc.oneof(
    anyText(),
    fc.json(),
    fc.uint8Array().map((bytes) => new TextDecoder('latin1').decode(bytes)),
    fc
      .tuple(fc.constantFrom(SWAP_LINE, POOL_EVENT_LINE, TOKEN_LINE), fields, fc.jsonValue())
      .map(([base, name, value]) => lineWith(base, name, value)),
  )
  fc.assert(
    fc.property(lines, (line) => {
      const result = parseEvent(line, NOW_MS)
      if ('event' in result) {
        t.is(checkEvent(result.event), undefined)
        return
      }
      t.true(result.refusals.length > 0)
      for (const { field, value, reason } of result.refusals) {
        // With its quotes.
        t.true(value === undefined || (value.length <= 82 && value.isWellFormed()), value)
        t.true(field !== '' && reason.startsWith('expected '))
      }
    }),
    { numRuns: 2000 },
  )
})

const CHECKED: [why: string, event: Event, field: string, value: string][] = [
  ['no base units', swapEvent({ tokenAmount: 0 }), 'token_amount', '0'],
  // Digits that were lost before it came here.
  ['an unsafe number', swapEvent({ fee: 2 ** 53 }), 'fee', '9007199254740992'],
  // One value has one form: 5 is a number.
  ['a small bigint', swapEvent({ solAmount: 5n }), 'sol_amount', '5'],
  [
    'a bigint beyond int64',
    swapEvent({ solAmount: 2n ** 63n }),
    'sol_amount',
    '9223372036854775808',
  ],
  ['a short wallet', swapEvent({ user: 'x' }), 'user', '"x"'],
  ['a bad signature', swapEvent({ signature: MINT }), 'signature', `"${MINT}"`],
  ['seconds', swapEvent({ timestamp: 1_757_782_395 }), 'timestamp', '1757782395'],
  ['a negative price', swapEvent({ poolPrice: -1 }), 'pool_price', '-1'],
  [
    'a NUL in a name',
    { kind: 'token', token: { tokenAddress: MINT, slot: 0, name: '\u0000' } },
    'name',
    '"\\u0000"',
  ],
]

for (const [why, event, field, value] of CHECKED) {
  test(`a decoded event with ${why} is refused as ${field}`, (t) => {
    const refusal = checkEvent(event)
    t.is(refusal?.field, field)
    t.is(refusal?.value, value)
    t.regex(refusal?.reason ?? '', /^expected /)
  })
}

test('an event far ahead of the clock satisfies the rules once it is decoded', (t) => {
  t.is(checkEvent(swapEvent({ timestamp: Date.UTC(2100, 0, 1) - 1 })), undefined)
})

const REAL_EVENTS = new URL('../../data/', import.meta.url)
const REAL_FILES: [file: string, swaps: number, tokens: number][] = [
  ['venue_1_2025-09.ndjson', 1498, 3],
  ['venue_3_block_285000037.ndjson', 114, 0],
]

for (const [file, swaps, tokens] of REAL_FILES) {
  const path = new URL(file, REAL_EVENTS)
  test(`prints every line of ${file} as it was read`, (t) => {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    const counts = { swap: 0, pool_event: 0, token: 0, retract: 0 }
    for (const line of lines) {
      const result = parseEvent(line, NOW_MS)
      if (!('event' in result)) return t.fail(JSON.stringify(result.refusals))
      counts[result.event.kind]++
      // Swaps carry every field; a token line without a slot gets one.
      if (result.event.kind === 'swap') t.is(printEvent(result.event), line)
      t.is(checkEvent(result.event), undefined)
    }
    t.deepEqual(counts, { swap: swaps, pool_event: 0, token: tokens, retract: 0 })
  })
}
