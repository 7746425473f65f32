/** Swaps by column: the form in which they are read, packed and compared. Pure. */
import type { Int64 } from '../../../domain/amount.ts'
import {
  DOUBLES,
  type DoubleName,
  INTEGERS,
  type IntegerName,
  NULLABLE,
  type NullableName,
  RANGES,
  type Range,
  type SealedSwap,
  SIGNATURE_BYTES,
} from '../row.ts'
import { Int64Column } from './int64-column.ts'

/** `index` of the rows that are compared. */
type Difference = { readonly index: number; readonly name: string }

/** Swaps by column, in arrays that grow. */
export class SwapColumns {
  count = 0
  private capacity: number
  readonly integers: Record<IntegerName, Int64Column>
  readonly nullable: Record<NullableName, Int64Column>
  readonly isBuy: Int64Column
  /** Null rows of a column have 1 here and any value in its column. */
  readonly nulls: Record<NullableName | DoubleName, Uint8Array>
  readonly doubles: Record<DoubleName, Float64Array>
  /** 64 bytes a row. */
  signatures: Uint8Array
  /** All columns of integers, those that may be null and the side included, in one order. */
  readonly allIntegers: readonly Int64Column[]

  constructor(capacity: number) {
    this.capacity = capacity
    const integers = (): Int64Column => new Int64Column(capacity)
    this.integers = eachOf(namesOf(INTEGERS), integers)
    this.nullable = eachOf(namesOf(NULLABLE), integers)
    this.isBuy = integers()
    this.nulls = eachOf([...namesOf(NULLABLE), ...DOUBLES], () => new Uint8Array(capacity))
    this.doubles = eachOf(DOUBLES, () => new Float64Array(capacity))
    this.signatures = new Uint8Array(SIGNATURE_BYTES * capacity)
    this.allIntegers = [
      ...Object.values(this.integers),
      ...Object.values(this.nullable),
      this.isBuy,
    ]
  }

  /** The number of a new row, whose values the caller sets: they are any until then. */
  add(): number {
    if (this.count === this.capacity) this.grow(Math.max(64, 2 * this.capacity))
    this.count += 1
    return this.count - 1
  }

  /** Sets the values of rows of `from` from one on to before another, the first as row `into`. There must be room. */
  copy(into: number, from: SwapColumns, first: number, end: number): void {
    for (let column = 0; column < this.allIntegers.length; column++) {
      const target = this.allIntegers[column] as Int64Column
      const own = from.allIntegers[column] as Int64Column
      copyWords(target.high, into, own.high, first, end)
      copyWords(target.low, into, own.low, first, end)
    }
    for (const name of OPTIONAL) copyValues(this.nulls[name], into, from.nulls[name], first, end)
    for (const name of DOUBLES) copyValues(this.doubles[name], into, from.doubles[name], first, end)
    const signatures = from.signatures.subarray(SIGNATURE_BYTES * first, SIGNATURE_BYTES * end)
    this.signatures.set(signatures, SIGNATURE_BYTES * into)
  }

  /**
   * Retains the rows with these numbers, in their order: each is read once, a column at a time, so that all that follows
   * reads memory in sequence.
   */
  arrange(rows: Uint32Array): void {
    let words: Int32Array = new Int32Array(this.capacity)
    for (const column of this.allIntegers) {
      for (const half of ['high', 'low'] as const) {
        const values = column[half]
        arrangeWords(words, values, rows)
        column[half] = words
        words = values
      }
    }
    let bytes: Uint8Array = new Uint8Array(this.capacity)
    for (const name of OPTIONAL) {
      const values = this.nulls[name]
      arrangeBytes(bytes, values, rows)
      this.nulls[name] = bytes
      bytes = values
    }
    let numbers: Float64Array = new Float64Array(this.capacity)
    for (const name of DOUBLES) {
      const values = this.doubles[name]
      for (let row = 0; row < rows.length; row++) numbers[row] = values[rows[row]!]!
      this.doubles[name] = numbers
      numbers = values
    }
    this.signatures = arrangedSignatures(this.signatures, rows)
    this.count = rows.length
  }

  /** Adds the rows of `from` from one on to before another. */
  append(from: SwapColumns, first: number, end: number): void {
    const at = this.count
    const count = at + end - first
    if (count > this.capacity) this.grow(Math.max(64, count, 2 * this.capacity))
    this.count = count
    for (let column = 0; column < this.allIntegers.length; column++) {
      const into = this.allIntegers[column] as Int64Column
      const own = from.allIntegers[column] as Int64Column
      into.high.set(own.high.subarray(first, end), at)
      into.low.set(own.low.subarray(first, end), at)
    }
    for (const name of OPTIONAL) {
      this.nulls[name].set(from.nulls[name].subarray(first, end), at)
    }
    for (const name of DOUBLES) {
      this.doubles[name].set(from.doubles[name].subarray(first, end), at)
    }
    const signatures = from.signatures.subarray(SIGNATURE_BYTES * first, SIGNATURE_BYTES * end)
    this.signatures.set(signatures, SIGNATURE_BYTES * at)
  }

  /** Sets a row. Throws RangeError for a value that no row of `swap` can have. */
  set(row: number, swap: SealedSwap): void {
    for (const name of INTEGER_NAMES) {
      this.setInteger(this.integers[name], row, swap[name], INTEGERS[name], name)
    }
    for (const name of NULLABLE_NAMES) {
      const value = swap[name]
      this.nulls[name][row] = value === null ? 1 : 0
      this.setInteger(this.nullable[name], row, value ?? 0, NULLABLE[name], name)
    }
    for (const name of DOUBLES) {
      const value = swap[name]
      this.nulls[name][row] = value === null ? 1 : 0
      this.doubles[name][row] = value ?? 0
    }
    this.isBuy.set(row, swap.is_buy ? 1 : 0)
    const { signature } = swap
    if (signature.length !== SIGNATURE_BYTES) {
      throw new RangeError(
        `signature of row ${row} has ${signature.length} bytes, expected ${SIGNATURE_BYTES}`,
      )
    }
    this.signatures.set(signature, SIGNATURE_BYTES * row)
  }

  /** The order in which the rows are stored. */
  order(): Uint32Array {
    return Uint32Array.from({ length: this.count }, (_, row) => row)
  }

  /**
   * Where rows differ from all rows of `others`, bits of doubles included: undefined where they are the same. Row `from` is
   * compared with the first of them.
   */
  difference(from: number, others: SwapColumns): Difference | undefined {
    const { count } = others
    for (const name of OPTIONAL) {
      const [own, other] = [this.nulls[name], others.nulls[name]]
      for (let index = 0; index < count; index++) {
        if (own[from + index] !== other[index]) return { index, name }
      }
    }
    for (let column = 0; column < this.allIntegers.length; column++) {
      const index = this.differsAt(column, from, others)
      if (index !== undefined) return { index, name: NAMES[column] as string }
    }
    for (const name of DOUBLES) {
      const [own, other, nulls] = [this.doubles[name], others.doubles[name], others.nulls[name]]
      for (let index = 0; index < count; index++) {
        const isSame = nulls[index] === 1 || Object.is(own[from + index], other[index])
        if (!isSame) return { index, name }
      }
    }
    const index = this.signatureDiffersAt(from, others)
    return index === undefined ? undefined : { index, name: 'signature' }
  }

  private signatureDiffersAt(from: number, { count, signatures }: SwapColumns): number | undefined {
    const begin = SIGNATURE_BYTES * from
    for (let at = 0; at < SIGNATURE_BYTES * count; at++) {
      if (this.signatures[begin + at] !== signatures[at]) return Math.floor(at / SIGNATURE_BYTES)
    }
    return undefined
  }

  private differsAt(column: number, from: number, others: SwapColumns): number | undefined {
    const own = this.allIntegers[column] as Int64Column
    const other = others.allIntegers[column] as Int64Column
    // Any value is in the column of a null.
    const nulls = others.nulls[NAMES[column] as NullableName] as Uint8Array | undefined
    for (let index = 0; index < others.count; index++) {
      const row = from + index
      const isSame = own.low[row] === other.low[index] && own.high[row] === other.high[index]
      if (!isSame && nulls?.[index] !== 1) return index
    }
    return undefined
  }

  signature(row: number): Uint8Array {
    return this.signatures.subarray(SIGNATURE_BYTES * row, SIGNATURE_BYTES * (row + 1))
  }

  private setInteger(
    column: Int64Column,
    row: number,
    value: Int64,
    range: Range,
    name: string,
  ): void {
    column.set(row, value)
    if (!isWithin(column, row, range)) {
      throw new RangeError(`${name} ${column.get(row)} of row ${row}: expected an ${range}`)
    }
  }

  private grow(capacity: number): void {
    this.capacity = capacity
    for (const column of this.allIntegers) column.grow(capacity)
    for (const name of OPTIONAL)
      this.nulls[name] = grown(this.nulls[name], new Uint8Array(capacity))
    for (const name of DOUBLES) {
      this.doubles[name] = grown(this.doubles[name], new Float64Array(capacity))
    }
    this.signatures = grown(this.signatures, new Uint8Array(SIGNATURE_BYTES * capacity))
  }
}

function copyWords(
  into: Int32Array,
  at: number,
  from: Int32Array,
  first: number,
  end: number,
): void {
  const distance = at - first
  for (let row = first; row < end; row++) into[row + distance] = from[row] as number
}

function copyValues(
  into: Uint8Array | Float64Array,
  at: number,
  from: Uint8Array | Float64Array,
  first: number,
  end: number,
): void {
  const distance = at - first
  for (let row = first; row < end; row++) into[row + distance] = from[row] as number
}

function arrangeWords(into: Int32Array, values: Int32Array, rows: Uint32Array): void {
  for (let row = 0; row < rows.length; row++) into[row] = values[rows[row] as number] as number
}

function arrangeBytes(into: Uint8Array, values: Uint8Array, rows: Uint32Array): void {
  for (let row = 0; row < rows.length; row++) into[row] = values[rows[row] as number] as number
}

function arrangedSignatures(signatures: Uint8Array, rows: Uint32Array): Uint8Array {
  const words = SIGNATURE_BYTES / 4
  const from = new Int32Array(signatures.buffer, signatures.byteOffset, signatures.length / 4)
  const into = new Int32Array(from.length)
  for (let row = 0; row < rows.length; row++) {
    const source = words * (rows[row] as number)
    for (let word = 0; word < words; word++) into[words * row + word] = from[source + word]!
  }
  return new Uint8Array(into.buffer)
}

function grown<Values extends Uint8Array | Float64Array>(values: Values, into: Values): Values {
  into.set(values)
  return into
}

const namesOf = <Name extends string>(table: Record<Name, unknown>): Name[] =>
  Object.keys(table) as Name[]

const INTEGER_NAMES = namesOf(INTEGERS)
const NULLABLE_NAMES = namesOf(NULLABLE)
const OPTIONAL = [...NULLABLE_NAMES, ...DOUBLES]
/** Names of allIntegers. */
const NAMES = [...INTEGER_NAMES, ...NULLABLE_NAMES, 'is_buy']

function eachOf<Name extends string, Value>(names: readonly Name[], make: () => Value) {
  return Object.fromEntries(names.map((name) => [name, make()])) as Record<Name, Value>
}

/** Throws RangeError for a value that no row of `swap` can have. */
export function columnsOf(rows: readonly SealedSwap[]): SwapColumns {
  const columns = new SwapColumns(rows.length)
  for (const row of rows) columns.set(columns.add(), row)
  return columns
}

/** The first of these rows whose value is outside the range. */
export function beyond(column: Int64Column, rows: Int32Array, range: Range): number | undefined {
  if (range === 'int8') return undefined
  const { high, low } = column
  const isSafe = range === 'safe'
  const [least, greatest] = BOUNDS[range]
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] as number
    const [upper, lower] = [high[row] as number, low[row] as number]
    const isOwn = isSafe
      ? isSafeInteger(upper, lower)
      : upper === lower >> 31 && lower >= least && lower <= greatest
    if (!isOwn) return row
  }
  return undefined
}

function isWithin({ high, low }: Int64Column, row: number, range: Range): boolean {
  if (range === 'int8') return true
  const [upper, lower] = [high[row] as number, low[row] as number]
  if (range === 'safe') return isSafeInteger(upper, lower)
  const [least, greatest] = BOUNDS[range]
  return upper === lower >> 31 && lower >= least && lower <= greatest
}

/** -2^53 + 1 to 2^53 - 1: all integers whose upper half is within these bounds, but -2^53. */
const isSafeInteger = (upper: number, lower: number): boolean =>
  upper >= -(2 ** 21) && upper < 2 ** 21 && (upper !== -(2 ** 21) || lower !== 0)

const BOUNDS = Object.fromEntries(
  Object.entries(RANGES).map(([name, [least, greatest]]) => [
    name,
    [Number(least), Number(greatest)],
  ]),
) as Record<Range, [number, number]>

/** A row of these columns with its signature and the block that it is of, in the form that the caller has. */
export function rowOf<Signature, Blockhash>(
  columns: SwapColumns,
  row: number,
  signature: Signature,
  blockhash: Blockhash,
): Omit<SealedSwap, 'signature' | 'blockhash'> & { signature: Signature; blockhash: Blockhash } {
  const { integers, nullable, nulls, doubles } = columns
  const orNull = (name: NullableName) => (nulls[name][row] === 1 ? null : nullable[name].get(row))
  const price = (name: DoubleName) =>
    nulls[name][row] === 1 ? null : (doubles[name][row] as number)
  return {
    slot: integers.slot.near(row),
    block_tx_index: integers.block_tx_index.near(row),
    timestamp_ms: integers.timestamp_ms.near(row),
    sol_amount: integers.sol_amount.get(row),
    token_amount: integers.token_amount.get(row),
    fee: integers.fee.get(row),
    creator_fee: integers.creator_fee.get(row),
    virtual_sol_reserves: integers.virtual_sol_reserves.get(row),
    virtual_token_reserves: integers.virtual_token_reserves.get(row),
    real_sol_reserves: integers.real_sol_reserves.get(row),
    real_token_reserves: integers.real_token_reserves.get(row),
    transfer_fee_in: integers.transfer_fee_in.get(row),
    transfer_fee_out: integers.transfer_fee_out.get(row),
    cashback: integers.cashback.get(row),
    price_impact_bps: orNull('price_impact_bps'),
    pool_price: doubles.pool_price[row] as number,
    price_before: price('price_before'),
    price_after: price('price_after'),
    pool_id: integers.pool_id.low[row] as number,
    wallet_id: integers.wallet_id.low[row] as number,
    ix_index: integers.ix_index.low[row] as number,
    fee_bps: integers.fee_bps.low[row] as number,
    creator_fee_bps: integers.creator_fee_bps.low[row] as number,
    cashback_bps: integers.cashback_bps.low[row] as number,
    time_source: integers.time_source.low[row] as number,
    agent_trade: integers.agent_trade.low[row] as number,
    dex: integers.dex.low[row] as number,
    quote_decimals: integers.quote_decimals.low[row] as number,
    is_buy: columns.isBuy.low[row] === 1,
    signature,
    wallet_tags: nulls.wallet_tags[row] === 1 ? null : (nullable.wallet_tags.low[row] as number),
    virtual_quote_reserves: orNull('virtual_quote_reserves'),
    blockhash,
    outside_protocol_bps: orNull('outside_protocol_bps') as number | null,
    outside_creator_bps: orNull('outside_creator_bps') as number | null,
  }
}
