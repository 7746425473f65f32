/**
 * Events for the tests of the way in: one good line a kind to change a field of, and arbitraries
 * over the whole range of the contract, int64 ends included.
 */
import fc from 'fast-check'
import { INT64_MAX, type Int64, int64 } from '../../../domain/amount.ts'
import type { Event, MarketEvent } from '../../../domain/events/event.ts'
import { POOL_EVENT_KINDS } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { trimName } from '../../../domain/text/padding.ts'
import type { DexId } from '../../../domain/venue.ts'
import { anyText } from './any-text.ts'

/** 2026-08-01T00:00:00Z, the clock of these tests. */
export const NOW_MS = Date.UTC(2026, 7, 1)

export const SIGNATURE = encodeBase58(new Uint8Array(64).fill(7))
export const MINT = encodeBase58(new Uint8Array(32).fill(8))
export const POOL = encodeBase58(new Uint8Array(32).fill(9))
export const WALLET = encodeBase58(new Uint8Array(32).fill(10))

/** The required fields of a line of each kind. */
export const SWAP_LINE = {
  kind: 'swap',
  signature: SIGNATURE,
  slot: 400,
  timestamp: NOW_MS,
  token_address: MINT,
  pair_address: POOL,
  user: WALLET,
  is_buy: true,
  dex: 1,
  sol_amount: 20_000,
  token_amount: 30_000,
  quote_decimals: 6,
}
export const POOL_EVENT_LINE = {
  kind: 'pool_event',
  event: 'created',
  signature: SIGNATURE,
  slot: 400,
  timestamp: NOW_MS,
  pair_address: POOL,
  token_address: MINT,
  dex: 1,
}
export const TOKEN_LINE = { kind: 'token', token_address: MINT }

export const SWAP: Swap = {
  signature: SIGNATURE,
  slot: 400,
  timestamp: NOW_MS,
  tokenAddress: MINT,
  pairAddress: POOL,
  user: WALLET,
  isBuy: true,
  dex: 1,
  solAmount: 20_000,
  tokenAmount: 30_000,
  fee: 0,
  feeBps: 0,
  creatorFee: 0,
  creatorFeeBps: 0,
  quoteDecimals: 6,
  virtualSolReserves: 0,
  virtualTokenReserves: 0,
  realSolReserves: 0,
  realTokenReserves: 0,
  transferFeeIn: 0,
  transferFeeOut: 0,
  cashback: 0,
  cashbackBps: 0,
  blockTxIndex: 0,
  ixIndex: 0,
  timeSource: 0,
  agentTrade: 0,
  poolPrice: undefined,
  priceBefore: undefined,
  priceAfter: undefined,
  virtualQuoteReserves: undefined,
  outsideProtocolBps: undefined,
  outsideCreatorBps: undefined,
  blockhash: undefined,
}

/** The pool of number `n`: distinct addresses that spread over the lanes. */
export function poolOf(n: number): string {
  const bytes = new Uint8Array(32).fill(1)
  new DataView(bytes.buffer).setUint32(28, n)
  return encodeBase58(bytes)
}

export function swapEvent(changes: Partial<Swap> = {}): MarketEvent {
  return { kind: 'swap', swap: { ...SWAP, ...changes } }
}

/** Makes `lineWith` omit a field. */
export const ABSENT = Symbol('the field is left out')
const JSON_TEXT = Symbol('the JSON text of the field is given')

/** Passes the JSON text of a field to `lineWith`: digits that a double cannot hold. */
export const raw = (jsonText: string): unknown => ({ [JSON_TEXT]: jsonText })

/** The line with one field changed. */
export function lineWith(base: object, name: string, value: unknown): string {
  const fields = Object.entries({ ...base, [name]: value }).filter(
    ([, stored]) => stored !== ABSENT,
  )
  return `{${fields.map(([key, retained]) => `"${key}":${jsonTextOf(retained)}`).join()}}`
}

function jsonTextOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || !(JSON_TEXT in value)) {
    return JSON.stringify(value)
  }
  return String(value[JSON_TEXT])
}

const addresses = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(encodeBase58)
const signatures = fc.uint8Array({ minLength: 64, maxLength: 64 }).map(encodeBase58)
const safeIntegers = fc.maxSafeNat()
const int32s = fc.nat(2 ** 31 - 1)
const int64s: fc.Arbitrary<Int64> = fc
  .oneof(
    fc.bigInt(0n, INT64_MAX),
    fc.constantFrom(0n, 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, INT64_MAX - 1n, INT64_MAX),
  )
  .map(int64)
const timestamps = fc.integer({ min: Date.UTC(2020, 0, 1), max: NOW_MS + 600_000 })
const venues = fc.integer({ min: 1, max: 10 }).map((dex) => dex as DexId)
const prices = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((price) => price + 0)
const publishedPrices = fc.option(prices, { nil: undefined })
/** Texts that the contract accepts: without NUL, and without white space around. */
const texts = anyText(100).map((text) => trimName(text.replaceAll('\u0000', '')))

const swaps = fc.record({
  signature: signatures,
  slot: safeIntegers,
  timestamp: timestamps,
  tokenAddress: addresses,
  pairAddress: addresses,
  user: addresses,
  isBuy: fc.boolean(),
  dex: venues,
  solAmount: int64s,
  tokenAmount: int64s.filter((count) => count !== 0),
  fee: int64s,
  feeBps: int32s,
  creatorFee: int64s,
  creatorFeeBps: int32s,
  quoteDecimals: fc.nat(18),
  virtualSolReserves: int64s,
  virtualTokenReserves: int64s,
  realSolReserves: int64s,
  realTokenReserves: int64s,
  transferFeeIn: int64s,
  transferFeeOut: int64s,
  cashback: int64s,
  cashbackBps: int32s,
  blockTxIndex: safeIntegers,
  ixIndex: int32s,
  timeSource: int32s,
  agentTrade: int32s,
  poolPrice: publishedPrices,
  priceBefore: publishedPrices,
  priceAfter: publishedPrices,
  virtualQuoteReserves: fc.option(int64s, { nil: undefined }),
  outsideProtocolBps: fc.option(fc.nat(10_000), { nil: undefined }),
  outsideCreatorBps: fc.option(fc.nat(10_000), { nil: undefined }),
  blockhash: fc.option(addresses, { nil: undefined }),
})

const poolEvents = fc.record(
  {
    event: fc.constantFrom(...POOL_EVENT_KINDS),
    signature: signatures,
    slot: safeIntegers,
    timestamp: timestamps,
    pairAddress: addresses,
    tokenAddress: addresses,
    dex: venues,
    blockTxIndex: safeIntegers,
    ixIndex: int32s,
    creator: addresses,
    fromPair: addresses,
    solAmount: int64s,
    tokenAmount: int64s,
    blockhash: addresses,
  },
  {
    requiredKeys: [
      'event',
      'signature',
      'slot',
      'timestamp',
      'pairAddress',
      'tokenAddress',
      'dex',
      'blockTxIndex',
      'ixIndex',
    ],
  },
)

const tokens = fc.record(
  {
    tokenAddress: addresses,
    slot: safeIntegers,
    creator: addresses,
    decimals: fc.nat(18),
    symbol: texts,
    name: texts,
    supply: int64s,
    sector: texts,
    uri: texts,
  },
  { requiredKeys: ['tokenAddress', 'slot'] },
)

/** Every event that the contract lets in, but retractions. */
export const anyEvent: fc.Arbitrary<MarketEvent> = fc.oneof(
  swaps.map((swap) => ({ kind: 'swap' as const, swap })),
  poolEvents.map((poolEvent) => ({ kind: 'pool_event' as const, poolEvent })),
  tokens.map((token) => ({ kind: 'token' as const, token })),
)

export const anyRetraction: fc.Arbitrary<Event> = fc
  .record({ slot: safeIntegers, blockhash: addresses }, { requiredKeys: ['slot'] })
  .map((retraction) => ({ kind: 'retract', retraction }))
