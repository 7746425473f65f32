/**
 * Addresses and signatures drawn digit by digit instead of encoded: with the first digit held in a
 * range where every continuation decodes to the wanted length, no division of big numbers is
 * needed. 58^43 > 2^248 and 17 * 58^43 <= 2^256, so 44 digits that begin with digit 1..16 are
 * always 32 bytes; 58^87 > 2^504 and 5 * 58^87 <= 2^512, so 88 that begin with 1..4 are 64.
 */
import { Buffer } from 'node:buffer'
import type { Prng } from './prng.ts'

const ALPHABET = Buffer.from('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 'latin1')
/** Digits taken from one 30-bit draw: 58^5 < 2^30. */
const DIGITS_PER_DRAW = 5
const scratch = Buffer.alloc(88)

export function drawAddress(prng: Prng): string {
  return draw(prng, 44, 16)
}

export function drawSignature(prng: Prng): string {
  return draw(prng, 88, 4)
}

function draw(prng: Prng, length: number, leadingDigitMax: number): string {
  scratch[0] = ALPHABET[prng.between(1, leadingDigitMax)]!
  for (let start = 1; start < length; start += DIGITS_PER_DRAW) {
    let bits = prng.bits() >>> 2
    const end = Math.min(start + DIGITS_PER_DRAW, length)
    for (let at = start; at < end; at++) {
      scratch[at] = ALPHABET[bits % 58]!
      bits = (bits / 58) | 0
    }
  }
  return scratch.toString('latin1', 0, length)
}
