/** Base58: hand-made texts, and every byte string against a second, naive conversion. */
import { Buffer } from 'node:buffer'
import test from 'ava'
import fc from 'fast-check'
import {
  decodeBase58,
  decodeBase58Into,
  encodeBase58,
  isAddress,
  isSignature,
} from '../../../domain/numbers/base58.ts'
import { anyText } from '../../support/events/any-text.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The definition itself: one big number, one '1' for each leading zero byte. */
function naiveEncode(bytes: Uint8Array): string {
  let value = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
  let digits = ''
  for (; value > 0n; value /= 58n) digits = `${ALPHABET[Number(value % 58n)]}${digits}`
  const significant = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(significant < 0 ? bytes.length : significant) + digits
}

const CONVERSIONS: [hex: string, text: string][] = [
  // Empty bytes are an empty text.
  ['', ''],
  // A zero byte is one '1'.
  ['00', '1'],
  ['0000', '11'],
  // 57 is the last digit, 58 the first of two.
  ['39', 'z'],
  ['3a', '21'],
  // 255 = 4 * 58 + 23.
  ['ff', '5Q'],
  // 65,536 = 19 * 58^2 + 27 * 58 + 54: a limb of three bytes with a leading zero byte.
  ['00010000', '1LUw'],
]

for (const [hex, text] of CONVERSIONS) {
  test(`base58 of the bytes "${hex}" is "${text}"`, (t) => {
    t.is(encodeBase58(Buffer.from(hex, 'hex')), text)
    t.is(Buffer.from(decodeBase58(text) ?? [1]).toString('hex'), hex)
  })
}

const MAX_ADDRESS = naiveEncode(new Uint8Array(32).fill(0xff))
const LEAST_ADDRESS = naiveEncode(Uint8Array.from({ length: 32 }, (_, at) => Number(at === 0)))
const MAX_SIGNATURE = naiveEncode(new Uint8Array(64).fill(0xff))

/** The text of the next number. */
function successor(text: string): string {
  const bytes = decodeBase58(text) ?? new Uint8Array()
  return naiveEncode(
    Buffer.from(
      (BigInt(`0x${Buffer.from(bytes).toString('hex')}`) + 1n)
        .toString(16)
        .padStart(2 * bytes.length + 2, '0'),
      'hex',
    ),
  ).replace(/^1/, '')
}

const ADDRESSES: [name: string, text: string, is: boolean][] = [
  ['a mint', 'FCuk4XWLR6fAJFTcQoMrm3KeywSt2X6wK4Ufh4Xjpump', true],
  ['32 zero bytes', '1'.repeat(32), true],
  ['31 zero bytes', '1'.repeat(31), false],
  ['33 zero bytes', '1'.repeat(33), false],
  ['the greatest number of 32 bytes', MAX_ADDRESS, true],
  ['one more than it', successor(MAX_ADDRESS), false],
  ['the least number of 32 bytes', LEAST_ADDRESS, true],
  ['31 bytes of the greatest number', naiveEncode(new Uint8Array(31).fill(0xff)), false],
  ['a zero byte and 31 others', `1${naiveEncode(new Uint8Array(31).fill(0xff))}`, true],
  ['an empty text', '', false],
  ['44 of the greatest digit', 'z'.repeat(44), false],
  ['a character that base58 leaves out', 'FCuk4XWLR6fAJFTcQoMrm3KeywSt2X6wK4Ufh4Xjpum0', false],
  ['a character beyond ASCII', 'FCuk4XWLR6fAJFTcQoMrm3KeywSt2X6wK4Ufh4Xjpumé', false],
  ['a code whose low byte is a digit', `FCuk4XWLR6fAJFTcQoMrm3KeywSt2X6wK4Ufh4Xjpum\u0131`, false],
  ['a trailing space', 'FCuk4XWLR6fAJFTcQoMrm3KeywSt2X6wK4Ufh4Xjpum ', false],
  ['a signature', MAX_SIGNATURE, false],
]

for (const [name, text, is] of ADDRESSES) {
  test(`${name} is ${is ? 'an address' : 'no address'}`, (t) => {
    t.is(isAddress(text), is)
  })
}

test('a signature is 64 bytes, from all zeros to the greatest number and no further', (t) => {
  t.true(isSignature('1'.repeat(64)))
  t.true(isSignature(MAX_SIGNATURE))
  t.false(isSignature(successor(MAX_SIGNATURE)))
  t.false(isSignature(MAX_ADDRESS))
  t.false(isSignature(''))
})

test('encoding agrees with the definition and decoding undoes it, for any bytes', (t) => {
  const bytes = fc
    .tuple(fc.nat(4), fc.uint8Array({ maxLength: 70 }))
    .map(([zeros, rest]) => Uint8Array.from([...Array(zeros).fill(0), ...rest]))
  fc.assert(
    fc.property(bytes, (given) => {
      const text = encodeBase58(given)
      t.is(text, naiveEncode(given))
      t.deepEqual(Uint8Array.from(decodeBase58(text) ?? [1, 2, 3]), given)
      t.is(isAddress(text), given.length === 32)
      t.is(isSignature(text), given.length === 64)
    }),
    { numRuns: 500 },
  )
})

test('accepts numbers around the bounds of 32 and 64 bytes by their length in bytes', (t) => {
  const lengths = fc.constantFrom(31, 32, 33, 63, 64, 65)
  const edges = fc
    .tuple(lengths, fc.constantFrom(0, 1, 2, 254, 255), fc.constantFrom(0, 1, 255), fc.nat(3))
    .map(([length, first, others, zeros]) => {
      const bytes = new Uint8Array(length).fill(others)
      bytes.fill(0, 0, zeros)
      bytes[zeros] = first
      return bytes
    })
  fc.assert(
    fc.property(edges, (bytes) => {
      t.is(isAddress(naiveEncode(bytes)), bytes.length === 32)
      t.is(isSignature(naiveEncode(bytes)), bytes.length === 64)
    }),
    { numRuns: 500 },
  )
})

test('any text is judged without an error, and as decoding judges it', (t) => {
  const texts = fc.oneof(
    anyText(100),
    fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 30, maxLength: 92 }),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = decodeBase58(text)
      t.is(isAddress(text), bytes?.length === 32)
      t.is(isSignature(text), bytes?.length === 64)
    }),
    { numRuns: 1000 },
  )
})

/** By decodeBase58Into, between bytes of others. */
function decodedInto(text: string, count: number): Uint8Array | undefined {
  const around = Buffer.from(`zz${text}zz`, 'latin1')
  const into = new Uint8Array(count + 2).fill(7)
  const isDecoded = decodeBase58Into(around, 2, text.length, into, 1, count)
  if (into[0] !== 7 || into[count + 1] !== 7) throw new Error('bytes of others are changed')
  return isDecoded ? into.slice(1, count + 1) : undefined
}

test('decoding to a known count of bytes gives the bytes of decodeBase58, or none', (t) => {
  const bytes = fc
    .tuple(fc.nat(66), fc.uint8Array({ maxLength: 66 }))
    .map(([zeros, rest]) => Uint8Array.from([...Array(zeros).fill(0), ...rest]))
  const exact = fc
    .tuple(fc.constantFrom(32, 64), fc.constantFrom(0, 0, 1, 30), fc.constantFrom(1, 255))
    .chain(([length, zeros, first]) =>
      fc.uint8Array({ minLength: length, maxLength: length }).map((given) => {
        given.fill(0, 0, zeros)
        given[zeros] = first
        return given
      }),
    )
  const texts = fc.oneof(
    bytes.map(encodeBase58),
    exact.map(encodeBase58),
    fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 30, maxLength: 92 }),
    fc.string({ unit: fc.constantFrom('z', '1', '0', '\x00', '\xff'), maxLength: 92 }),
    fc.constantFrom('z'.repeat(88), MAX_SIGNATURE, successor(MAX_SIGNATURE), '1'.repeat(64)),
  )
  fc.assert(
    fc.property(texts, fc.constantFrom(32, 64), (text, count) => {
      const expected = decodeBase58(text)
      const isOfCount = expected?.length === count
      t.deepEqual(decodedInto(text, count), isOfCount ? Uint8Array.from(expected) : undefined, text)
    }),
    { numRuns: 3_000 },
  )
})

test('a text of over 256 characters is not converted', (t) => {
  t.is(decodeBase58('2'.repeat(257)), undefined)
  // (58^256 - 1) / 57 has 256 * log2(58) - log2(57) = 1,493.8 bits.
  t.is(decodeBase58('2'.repeat(256))?.length, 187)
})
