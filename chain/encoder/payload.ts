/**
 * Writes payloads of program events by the layouts that the decoder reads (decoder/layouts). Pure.
 */
import { decodeBase58 } from '../../domain/numbers/base58.ts'
import { FIXED_WIDTHS, type FieldType, type Layout } from '../decoder/layout.ts'

/** Integers, truth values, texts; for a pubkey its base58, and for a list its bytes. */
type Value = bigint | number | boolean | string | Uint8Array
type Values<L extends Layout> = { readonly [F in L['fields'][number] as F[0]]?: Value }

/** A payload that ends after the field `last`; absent: with the last known one. A field without a value is 0. */
export function writeFields<const L extends Layout>(
  layout: L,
  values: Values<L>,
  last?: L['fields'][number][0],
): Buffer {
  const parts: Uint8Array[] = [bytesOfHex(layout.discriminator)]
  for (const [name, type] of layout.fields) {
    parts.push(writeField(type, (values as Record<string, Value | undefined>)[name]))
    if (name === last) break
  }
  return Buffer.concat(parts)
}

export const bytesOfHex = (hex: string): Buffer => Buffer.from(hex, 'hex')

function writeField(type: FieldType, value: Value = 0): Uint8Array {
  if (type === 'string') return textOf(String(value || ''))
  if (type === 'pubkey') return typeof value === 'string' ? keyBytes(value) : new Uint8Array(32)
  const width = FIXED_WIDTHS[type as keyof typeof FIXED_WIDTHS]
  if (width === undefined) return listOf(Number(type.slice('vec'.length)), value)
  return integer(BigInt(value as bigint | number | boolean), width)
}

/** Little endian, in two's complement. */
function integer(value: bigint, width: number): Uint8Array {
  const bytes = new Uint8Array(width)
  let left = BigInt.asUintN(width * 8, value)
  for (let at = 0; at < width; at++) {
    bytes[at] = Number(left & 0xffn)
    left >>= 8n
  }
  return bytes
}

export const u64 = (value: bigint): Uint8Array => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

/** A length of 4 bytes and UTF-8. */
export function textOf(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([integer(BigInt(bytes.length), 4), bytes])
}

function listOf(elementBytes: number, value: Value): Buffer {
  const bytes = value instanceof Uint8Array ? value : new Uint8Array(0)
  return Buffer.concat([integer(BigInt(bytes.length / elementBytes), 4), bytes])
}

/** Throws TypeError for a text that is no address. */
function keyBytes(key: string): Uint8Array {
  const bytes = decodeBase58(key)
  if (bytes?.length !== 32) throw new TypeError(`key "${key}": expected base58 of 32 bytes`)
  return bytes
}
