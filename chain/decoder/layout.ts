/**
 * Layouts of program events, and the reader of payloads by them. Pure.
 *
 * Event layouts grow at their end: a payload that ends early leaves the later fields undefined, and bytes after
 * the last known field are ignored. A field is read whole or not at all.
 */

export type FieldType =
  | 'bool'
  | 'u8'
  | 'u16'
  | 'u32'
  | 'i32'
  | 'u64'
  | 'i64'
  | 'u128'
  | 'i128'
  | 'pubkey'
  | 'string'
  /** A list of elements of that many bytes. */
  | `vec${number}`

export type Layout = {
  readonly name: string
  /** The first 8 bytes as hex. */
  readonly discriminator: string
  readonly fields: readonly (readonly [name: string, type: FieldType])[]
}

type ValueOf<T extends FieldType> = T extends 'bool'
  ? boolean
  : T extends 'u8' | 'u16' | 'u32' | 'i32'
    ? number
    : T extends 'pubkey' | `vec${number}`
      ? Uint8Array
      : T extends 'string'
        ? string
        : bigint

/** A payload decoded by a layout: each field, or undefined if the payload ended before it. */
export type Fields<L extends Layout> = {
  readonly [F in L['fields'][number] as F[0]]?: ValueOf<F[1]>
}

export const DISCRIMINATOR_BYTES = 8

type FixedType = Exclude<FieldType, 'string' | `vec${number}`>

/** Bytes of the types that have always as many. */
export const FIXED_WIDTHS: Readonly<Record<FixedType, number>> = {
  bool: 1,
  u8: 1,
  u16: 2,
  u32: 4,
  i32: 4,
  u64: 8,
  i64: 8,
  u128: 16,
  i128: 16,
  pubkey: 32,
}
const LENGTH_BYTES = 4
const text = new TextDecoder()

/** Reads the fields that follow the discriminator, which begins at `offset`. */
export function readFields<const L extends Layout>(
  layout: L,
  payload: Uint8Array,
  offset = 0,
): Fields<L> {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength)
  const fields: Record<string, unknown> = {}
  let at = offset + DISCRIMINATOR_BYTES
  for (const [name, type] of layout.fields) {
    const width = widthOf(view, at, type)
    if (width === undefined || at + width > payload.length) break
    fields[name] = readField(view, at, type, width)
    at += width
  }
  return fields as Fields<L>
}

function widthOf(view: DataView, at: number, type: FieldType): number | undefined {
  const fixed = FIXED_WIDTHS[type as FixedType]
  if (fixed !== undefined) return fixed
  if (at + LENGTH_BYTES > view.byteLength) return undefined
  const elements = view.getUint32(at, true)
  return LENGTH_BYTES + elements * (type === 'string' ? 1 : Number(type.slice('vec'.length)))
}

function readField(view: DataView, at: number, type: FieldType, width: number): unknown {
  switch (type) {
    case 'bool':
      return view.getUint8(at) !== 0
    case 'u8':
      return view.getUint8(at)
    case 'u16':
      return view.getUint16(at, true)
    case 'u32':
      return view.getUint32(at, true)
    case 'i32':
      return view.getInt32(at, true)
    case 'u64':
      return view.getBigUint64(at, true)
    case 'i64':
      return view.getBigInt64(at, true)
    case 'u128':
      return view.getBigUint64(at, true) + (view.getBigUint64(at + 8, true) << 64n)
    case 'i128':
      return view.getBigUint64(at, true) + (view.getBigInt64(at + 8, true) << 64n)
    case 'pubkey':
      return bytesAt(view, at, width)
    case 'string':
      return text.decode(bytesAt(view, at + LENGTH_BYTES, width - LENGTH_BYTES))
    default:
      return bytesAt(view, at + LENGTH_BYTES, width - LENGTH_BYTES)
  }
}

function bytesAt(view: DataView, at: number, length: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + at, length)
}

/** The discriminator of a payload as hex; '' where it is shorter than one. */
export function discriminatorOf(payload: Uint8Array, offset = 0): string {
  if (payload.length < offset + DISCRIMINATOR_BYTES) return ''
  let hex = ''
  for (let at = offset; at < offset + DISCRIMINATOR_BYTES; at++) hex += HEX[payload[at] as number]
  return hex
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** A layout that is written by hand, from the field order that the program's source documents. */
export const layout = <const L extends Layout>(each: L): L => each

/** First bytes as hex, and positions of accounts by their role. */
export type InstructionLayout = {
  readonly tag: string
  readonly at: Readonly<Record<string, number>>
}

export type Instructions = Readonly<Record<string, InstructionLayout>>

/** Tags of `swap` and `swap2` by Anchor, which several programs have. */
export const ANCHOR_SWAP = 'f8c69e91e17587c8'
export const ANCHOR_SWAP2 = '414b3f4ceb5b5b88'
