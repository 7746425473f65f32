/** The bytes of a bulk COPY, read again by an independent reader of PostgreSQL's format. */
import test from 'ava'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN, int64 } from '../../../domain/amount.ts'
import { CopyBuffer } from '../../../sql/binary/copy-writer.ts'
import { readCopy } from '../../support/workers/copy-reader.ts'

test('a copy without rows is header and trailer for any initial capacity', (t) => {
  for (const capacity of [0, 19, 21, 1_000]) {
    const bytes = new CopyBuffer(capacity).finish()
    // 11 bytes of signature, flags and extension of 4 each, trailer of 2.
    t.is(bytes.toString('hex'), '5047434f50590aff0d0a000000000000000000ffff')
    t.deepEqual(readCopy(bytes), [])
  }
})

test('refuses a value that does not fit its type instead of truncating it', (t) => {
  const rows = new CopyBuffer()
  rows.row(2, 20)
  for (const value of [2 ** 31, -(2 ** 31) - 1, 0.5, Number.NaN]) {
    t.throws(() => rows.int4(value), { instanceOf: RangeError })
  }
  for (const value of [2 ** 15, -(2 ** 15) - 1, 2 ** 32, 0.5]) {
    t.throws(() => rows.int2(value), { instanceOf: RangeError })
  }
  rows.int4(-(2 ** 31))
  rows.int2(2 ** 15 - 1)
  const [row] = readCopy(rows.finish())
  t.deepEqual(
    row?.map((field) => field?.toString('hex')),
    ['80000000', '7fff'],
  )
})

test('each type is written as PostgreSQL reads it', (t) => {
  const rows = new CopyBuffer()
  rows.row(9, 100)
  rows.int8(-2)
  rows.int4(-2)
  rows.int2(-2)
  rows.float8(-0.5)
  rows.bool(true)
  rows.bool(false)
  rows.ascii('base58')
  rows.raw(new Uint8Array([0, 255]))
  rows.null()
  t.deepEqual(
    readCopy(rows.finish())[0]?.map((field) => field?.toString('hex')),
    [
      'fffffffffffffffe',
      'fffffffe',
      'fffe',
      // Sign, exponent 1022, no fraction.
      'bfe0000000000000',
      '01',
      '00',
      '626173653538',
      '00ff',
      undefined,
    ],
  )
})

test('an int8 is exact over all of int64, as a number and as a bigint', (t) => {
  const ends = [INT64_MIN, INT64_MAX, 2n ** 53n, -(2n ** 53n), 2n ** 32n, -(2n ** 32n), -1n, 0n]
  const integers = fc.oneof(fc.bigInt(INT64_MIN, INT64_MAX), fc.constantFrom(...ends))
  fc.assert(
    fc.property(fc.array(integers), (values) => {
      const rows = new CopyBuffer()
      for (const value of values) {
        rows.row(1, 14)
        rows.int8(int64(value))
      }
      t.deepEqual(
        readCopy(rows.finish()).map(([field]) => field?.readBigInt64BE()),
        values,
      )
    }),
  )
})

test('writes the bits of every double', (t) => {
  fc.assert(
    fc.property(fc.double(), (value) => {
      const rows = new CopyBuffer()
      rows.row(1, 14)
      rows.float8(value)
      t.is(readCopy(rows.finish())[0]?.[0]?.readDoubleBE(), value)
    }),
  )
})

test('a buffer grows by whole rows, and retains written rows', (t) => {
  const rows = new CopyBuffer(32)
  const payload = Buffer.alloc(1_000, 7)
  for (let n = 0; n < 50; n++) {
    rows.row(2, 2 + 8 + 4 + 4 + payload.length)
    rows.int4(n)
    rows.raw(payload)
  }
  const read = readCopy(rows.finish())
  t.is(read.length, 50)
  for (const [n, fields] of read.entries()) {
    t.is(fields[0]?.readInt32BE(), n)
    t.deepEqual(fields[1], payload)
  }
})

/** PostgreSQL's form of a numeric without a fraction: base 10,000, the first group of `weight`. */
function readNumeric(field: Buffer | null | undefined): bigint {
  if (!field) throw new Error('a numeric is not null')
  const [groups, weight, sign, scale] = [0, 2, 4, 6].map((at) => field.readUInt16BE(at))
  if (scale !== 0 || field.length !== 8 + 2 * groups!) throw new Error(field.toString('hex'))
  let magnitude = 0n
  for (let index = 0; index <= weight!; index++) {
    const group = index < groups! ? field.readUInt16BE(8 + 2 * index) : 0
    if (group > 9_999) throw new Error(`${group} is no group of four digits`)
    magnitude = magnitude * 10_000n + BigInt(group)
  }
  return sign === 0x4000 ? -magnitude : magnitude
}

test('a numeric is exact, small or beyond int64', (t) => {
  const powers = Array.from({ length: 40 }, (_, n) => 10n ** BigInt(n))
  const ends = [...powers, 2n ** 53n, BigInt(Number.MAX_SAFE_INTEGER), INT64_MAX, INT64_MIN]
  const near = ends.flatMap((end) => [end - 1n, end, end + 1n, -end])
  const safe = fc.maxSafeInteger().map(BigInt)
  const any = fc.oneof(fc.constantFrom(...near), safe, fc.bigInt(-(2n ** 127n), 2n ** 127n))
  fc.assert(
    fc.property(fc.array(any), (values) => {
      const rows = new CopyBuffer(32)
      for (const value of [...values, ...near]) {
        rows.row(1, 64)
        rows.numeric(value)
      }
      const read = readCopy(rows.finish()).map(([field]) => readNumeric(field))
      t.deepEqual(read, [...values, ...near])
    }),
    { numRuns: 200 },
  )
})
