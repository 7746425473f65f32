/** Rows of sealed history for tests: extremes of every column, and arbitrary ones of all venues. */
import fc from 'fast-check'
import { type Int64, int64 } from '../../../domain/amount.ts'
import { DEX_MAX, DEX_MIN } from '../../../domain/venue.ts'
import {
  DOUBLES,
  INTEGERS,
  type IntegerName,
  NULLABLE,
  type NullableName,
  RANGES,
  type SealedSwap,
} from '../../../history/codec/row.ts'

const INTEGER_NAMES = Object.keys(INTEGERS) as IntegerName[]
const NULLABLE_NAMES = Object.keys(NULLABLE) as NullableName[]

/** An ordinary swap of a pool with reserves. */
export const ROW: SealedSwap = {
  ...{ slot: 400_000_000, block_tx_index: 7, timestamp_ms: 1_780_000_000_000 },
  ...{ sol_amount: 1_000_000_000, token_amount: 5_000_000, fee: 2_500_000, creator_fee: 0 },
  ...{ virtual_sol_reserves: 0, virtual_token_reserves: 0 },
  ...{ real_sol_reserves: 80_000_000_000, real_token_reserves: 400_000_000 },
  ...{ transfer_fee_in: 0, transfer_fee_out: 0, cashback: 0, price_impact_bps: 123 },
  ...{ pool_price: 0.2, price_before: null, price_after: null, pool_id: 9, wallet_id: 11 },
  ...{ ix_index: 2, fee_bps: 25, creator_fee_bps: 0, cashback_bps: 0, time_source: 1 },
  ...{ agent_trade: 0, dex: 3, quote_decimals: 6, is_buy: true, signature: signature(1) },
  ...{ wallet_tags: null, virtual_quote_reserves: null, blockhash: 1 },
  ...{ outside_protocol_bps: null, outside_creator_bps: null },
}

export function signature(n: number): Uint8Array {
  const bytes = new Uint8Array(64).fill(n)
  new DataView(bytes.buffer).setUint32(0, n)
  return bytes
}

const boundsOf = (name: IntegerName | NullableName): [Int64, Int64] => {
  const range = name in INTEGERS ? INTEGERS[name as IntegerName] : NULLABLE[name as NullableName]
  const [least, greatest] = RANGES[range]
  return [int64(least), int64(greatest)]
}

/** The least and the greatest of every column, once in all columns together and once in each by itself, and nulls. */
export function extremeRows(): SealedSwap[] {
  const names = [...INTEGER_NAMES, ...NULLABLE_NAMES]
  const ends = [0, 1].map((end) =>
    Object.fromEntries(names.map((name) => [name, boundsOf(name)[end]])),
  )
  const single = names.flatMap((name) => boundsOf(name).map((value) => ({ [name]: value })))
  const doubles = [Number.MIN_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE, 0, 1 / 3].flatMap(
    (price) => [
      { pool_price: price },
      { pool_price: price, price_before: price, price_after: 2 / 3 },
      { pool_price: 1, price_before: null, price_after: price },
    ],
  )
  const nulls = { price_impact_bps: null, wallet_tags: null, virtual_quote_reserves: null }
  const near = [2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n)].map((value) => ({
    real_sol_reserves: int64(value),
    virtual_token_reserves: int64(value),
    sol_amount: int64(value),
  }))
  return [...ends, nulls, ...single, ...doubles, ...near, { is_buy: false }].map(
    (change, index) => ({
      ...ROW,
      signature: signature(index % 50),
      ...change,
    }),
  ) as SealedSwap[]
}

const integerOf = (name: IntegerName | NullableName): fc.Arbitrary<Int64> => {
  const [least, greatest] = boundsOf(name).map((value) => BigInt(value)) as [bigint, bigint]
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 300 }) },
    { weight: 1, arbitrary: fc.bigInt({ min: least, max: greatest }).map(int64) },
    { weight: 1, arbitrary: fc.constantFrom(int64(least), int64(greatest), 0) },
  )
}

const price = fc.oneof(fc.constantFrom(0, 0.5, 1.25), fc.double())
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 3 })

/** Rows in which ties, shared signatures, nulls and ends of every range are common. */
export const anyRow: fc.Arbitrary<SealedSwap> = fc
  .record({
    ...(Object.fromEntries(INTEGER_NAMES.map((name) => [name, integerOf(name)])) as Record<
      IntegerName,
      fc.Arbitrary<number>
    >),
    ...(Object.fromEntries(NULLABLE_NAMES.map((name) => [name, orNull(integerOf(name))])) as Record<
      NullableName,
      fc.Arbitrary<number | null>
    >),
    pool_price: price,
    price_before: orNull(price),
    price_after: orNull(price),
    is_buy: fc.boolean(),
    signature: fc.nat(20).map(signature),
    dex: fc.integer({ min: DEX_MIN, max: DEX_MAX }),
    pool_id: fc.nat(3),
    quote_decimals: fc.oneof(fc.integer({ min: 0, max: 18 }), fc.constantFrom(-1, 400)),
  })
  .map((row) => row as SealedSwap)

const NAMES: readonly (keyof SealedSwap)[] = [
  ...INTEGER_NAMES,
  ...NULLABLE_NAMES,
  ...DOUBLES,
  'is_buy',
  'signature',
]

/** The first column in which two rows differ, bits of doubles included. */
export function firstDifference(row: SealedSwap, other: SealedSwap): keyof SealedSwap | undefined {
  return NAMES.find((name) =>
    name === 'signature'
      ? Buffer.compare(row.signature, other.signature) !== 0
      : !Object.is(row[name], other[name]),
  )
}
