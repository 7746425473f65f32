/**
 * 64 bits of a signature for its index: two 32-bit multiplicative hashes over the text. A match is always compared with
 * the whole signature, so a collision costs a read, never a mistake. Stored in `swap_signature`: never to be changed.
 * Vectors in test/domain/numbers/signature-hash.test.ts.
 */

/** Writes the halves, high before low and both signed, at `at` and after it. */
export function hashSignature(signature: string, into: Int32Array, at: number): void {
  let high = 0x9e3779b9
  let low = 0x85ebca6b
  for (let index = 0; index < signature.length; index++) {
    const code = signature.charCodeAt(index)
    high = Math.imul(high ^ code, 0x01000193)
    low = Math.imul(low ^ code, 0x5bd1e995)
  }
  writeHalves(high, low, into, at)
}

/** The same for a text of ASCII that is `length` bytes of `text`. */
export function hashSignatureBytes(
  text: Uint8Array,
  from: number,
  length: number,
  into: Int32Array,
  at: number,
): void {
  let high = 0x9e3779b9
  let low = 0x85ebca6b
  for (let index = from; index < from + length; index++) {
    const code = text[index] as number
    high = Math.imul(high ^ code, 0x01000193)
    low = Math.imul(low ^ code, 0x5bd1e995)
  }
  writeHalves(high, low, into, at)
}

function writeHalves(high: number, low: number, into: Int32Array, at: number): void {
  const mixed = Math.imul(high ^ (high >>> 16), 0x2c1b3c6d) ^ (low >>> 13)
  into[at] = mixed
  into[at + 1] = Math.imul(low ^ (low >>> 15), 0x297a2d39) ^ (mixed >>> 16)
}

const halves = new Int32Array(2)

/** A signed 64-bit integer. */
export function signatureHash(signature: string): bigint {
  hashSignature(signature, halves, 0)
  return (BigInt(halves[0]!) << 32n) | BigInt(halves[1]! >>> 0)
}

/** 32 bits of a pair's address, signed; stored next to the signature's. Never to be changed. */
export function pairHash(pairAddress: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < pairAddress.length; index++) {
    hash = Math.imul(hash ^ pairAddress.charCodeAt(index), 0x01000193)
  }
  return hash | 0
}
