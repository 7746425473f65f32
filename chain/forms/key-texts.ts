/**
 * Base58 of account keys, with the recent ones remembered: each transaction names the same programs, mints and pools,
 * and a text that is made once has its hash, which lookups in the decoder's tables need. Pure, but for what it
 * remembers.
 */
import { encodeBase58 } from '../../domain/numbers/base58.ts'

const KEY_BYTES = 32
/** A power of two; 128 bytes each. */
const CACHE_SLOTS = 8_192
/** Keys of the system begin with zeros only. */
const HASHED_AT = 12

type Remembered = { readonly bytes: Uint8Array; readonly text: string }

const remembered: (Remembered | undefined)[] = new Array(CACHE_SLOTS).fill(undefined)

/** The text of the key that lies there. */
export function keyTextAt(bytes: Buffer, start: number, end: number): string {
  if (end - start !== KEY_BYTES) return encodeBase58(bytes.subarray(start, end))
  const slot = bytes.readInt32LE(start + HASHED_AT) & (CACHE_SLOTS - 1)
  const known = remembered[slot]
  if (known !== undefined && isAt(bytes, start, known.bytes)) return known.text
  const key = Uint8Array.prototype.slice.call(bytes, start, end)
  const text = encodeBase58(key)
  remembered[slot] = { bytes: key, text }
  return text
}

function isAt(bytes: Uint8Array, start: number, key: Uint8Array): boolean {
  for (let at = 0; at < KEY_BYTES; at++) if (bytes[start + at] !== key[at]) return false
  return true
}
