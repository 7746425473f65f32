/**
 * Rows as they come over the wire, read where they lie: a column becomes the value that it is in one step, instead of
 * a text first that most columns, being numbers, have no use for.
 *
 * Law: values are those that the client's own parsers make of the same texts. What a row is made of lies in a buffer
 * that is used again: it is read when it comes, or not at all. Who asks a row for `fields` gets them as the client
 * gives them.
 */
import pg from 'pg'
import { Parser } from 'pg-protocol/dist/parser.js'

/** A function that makes a row of what begins at `at`, behind the number of its columns. */
export type ReadRow = (bytes: Buffer, at: number) => unknown
type Column = Pick<pg.FieldDef, 'name' | 'dataTypeID'>
type Slices = Buffer & Record<'utf8Slice' | 'latin1Slice', (from: number, to: number) => string>
/** Reads the value in so many bytes. */
type Read = (bytes: Slices, at: number, length: number) => unknown

const ROW_CODE = 'D'.charCodeAt(0)
/** Bytes before each column's own: how many there are, -1 for none at all. */
const LENGTH_BYTES = 4
const COUNT_BYTES = 2
const OID = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  float4: 700,
  float8: 701,
  numeric: 1700,
}
/** So many digits, or one less and a minus, are exact as a double. */
const EXACT_LENGTH_MAX = 15
const MINUS = '-'.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)
const TRUE = 't'.charCodeAt(0)
/** Before the digits of a bytea, as the server writes them unless told otherwise: a backslash and an x. */
const HEX_MARK = 0x5c78

export class WireRow {
  readonly name = 'dataRow'
  readonly bytes: Buffer
  /** Where its columns begin. */
  readonly at: number
  readonly fieldCount: number

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes
    this.fieldCount = bytes.readInt16BE(at)
    this.at = at + COUNT_BYTES
  }

  get fields(): (string | null)[] {
    const { bytes, fieldCount } = this
    let { at } = this
    return Array.from({ length: fieldCount }, () => {
      const length = bytes.readInt32BE(at)
      const from = at + LENGTH_BYTES
      at = from + Math.max(0, length)
      return length < 0 ? null : bytes.toString('utf8', from, at)
    })
  }
}

type Packets = { handlePacket(at: number, code: number, length: number, bytes: Buffer): object }

const packets = Parser.prototype as unknown as Packets
const usual = packets.handlePacket
packets.handlePacket = function (at, code, length, bytes) {
  return code === ROW_CODE ? new WireRow(bytes, at) : usual.call(this, at, code, length, bytes)
}

/**
 * A function with the columns' names in its text: rows of a statement have one hidden class, and no name is
 * looked up for any of them. `parseInt8`: what int8 is read by where it is told to be read so.
 */
export function rowReader(
  columns: readonly Column[],
  types: pg.CustomTypesConfig,
  parseInt8: (text: string) => unknown,
): ReadRow {
  const reads = columns.map(({ dataTypeID }) => readOf(dataTypeID, types, parseInt8))
  const steps = columns.map(
    (_, index) =>
      `const length${index} = lengthAt(bytes, at); at += ${LENGTH_BYTES};
       const value${index} = length${index} < 0 ? null : read${index}(bytes, at, length${index});
       if (length${index} > 0) at += length${index};`,
  )
  const fields = columns.map(({ name }, index) => `${JSON.stringify(name)}: value${index}`)
  const names = columns.map((_, index) => `read${index}`)
  const text = `return (bytes, at) => { ${steps.join('\n')} return { ${fields.join()} } }`
  return new Function('lengthAt', ...names, text)(lengthAt, ...reads)
}

function lengthAt(bytes: Buffer, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  )
}

/** By its type, where the type is parsed as usual. */
function readOf(
  oid: number,
  types: pg.CustomTypesConfig,
  parseInt8: (text: string) => unknown,
): Read {
  const parse = types.getTypeParser(oid, 'text')
  const isUsual = parse === pg.types.getTypeParser(oid, 'text')
  if (oid === OID.int8 && parse === parseInt8) return integerReader(parseInt8)
  if ((oid === OID.int2 || oid === OID.int4) && isUsual) return integerReader(Number)
  if (oid === OID.bool && isUsual) return (bytes, at) => bytes[at] === TRUE
  if (oid === OID.bytea && isUsual) return byteaReader(parse)
  // Nothing but digits and letters.
  const isPlain = oid === OID.float4 || oid === OID.float8 || oid === OID.numeric
  if (isPlain) return (bytes, at, length) => parse(bytes.latin1Slice(at, at + length))
  return (bytes, at, length) => parse(bytes.utf8Slice(at, at + length))
}

function byteaReader(parse: (text: string) => unknown): Read {
  return (bytes, at, length) =>
    length >= 2 && bytes.readUInt16BE(at) === HEX_MARK
      ? Buffer.from(bytes.latin1Slice(at + 2, at + length), 'hex')
      : parse(bytes.utf8Slice(at, at + length))
}

function integerReader(parseLong: (text: string) => unknown): Read {
  return (bytes, at, length) => {
    if (length > EXACT_LENGTH_MAX) return parseLong(bytes.latin1Slice(at, at + length))
    const isNegative = bytes[at] === MINUS
    let sum = 0
    for (let place = isNegative ? at + 1 : at; place < at + length; place++) {
      sum = sum * 10 + (bytes[place] as number) - ZERO
    }
    return isNegative ? -sum : sum
  }
}
