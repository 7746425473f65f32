/** Vectors that pin the stored hash of a signature: a change of them loses every stored one. */
import test from 'ava'
import fc from 'fast-check'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import {
  hashSignatureBytes,
  pairHash,
  signatureHash,
} from '../../../domain/numbers/signature-hash.ts'
import { SIGNATURE } from '../../support/events/sample-event.ts'

/** Computed by a second implementation in another language. */
const VECTORS: [string, bigint][] = [
  ['', 5478893003515585236n],
  ['a', -1331500464042449924n],
  ['foobar', -3273047050931503773n],
  ['11111111111111111111111111111111', 2528942195222756326n],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 6498621511860700563n],
  ['J1toso1uCk3RLmjorhTtrVwY9HJ7X8V9yYac6Y7kGCPn', 1619985486668085574n],
]

test('the hashes of known texts do not move', (t) => {
  for (const [text, hash] of VECTORS) t.is(signatureHash(text), hash, text)
})

test('the hash of a text in bytes is that of the text', (t) => {
  for (const [text, hash] of VECTORS) {
    const halves = new Int32Array(3)
    hashSignatureBytes(Buffer.from(`x${text}y`, 'latin1'), 1, text.length, halves, 1)
    t.is((BigInt(halves[1]!) << 32n) | BigInt(halves[2]! >>> 0), hash, text)
  }
})

test('the hash of a pair is FNV-1a of 32 bits, signed', (t) => {
  // Published FNV-1a of "", "a", "foobar": 811c9dc5, e40c292c, bf9cf968.
  t.is(pairHash(''), 0x811c_9dc5 - 2 ** 32)
  t.is(pairHash('a'), 0xe40c_292c - 2 ** 32)
  t.is(pairHash('foobar'), 0xbf9c_f968 - 2 ** 32)
  t.is(pairHash('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'), 0x08a4_109c)
})

test('a hash is a signed 64-bit integer', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (bytes) => {
      const hash = signatureHash(encodeBase58(bytes))
      t.is(BigInt.asIntN(64, hash), hash)
    }),
  )
})

test('signatures that differ in one byte have different hashes', (t) => {
  const hashes = new Set<bigint>()
  let count = 0
  for (let at = 0; at < 64; at++) {
    for (let value = 0; value < 256; value += 5) {
      if (value === 7) continue
      hashes.add(signatureHash(encodeBase58(new Uint8Array(64).fill(7).fill(value, at, at + 1))))
      count++
    }
  }
  t.is(hashes.size, count)
  t.false(hashes.has(signatureHash(SIGNATURE)))
})
