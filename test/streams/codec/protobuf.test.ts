/**
 * Bytes of protobuf: numbers by hand-computed bytes, lengths at their edges, and malformed bytes. event-codec.test.ts
 * compares whole messages with a general protobuf library.
 */
import test from 'ava'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN, type Int64, int64 } from '../../../domain/amount.ts'
import { WireError, WireReader, WireWriter } from '../../../streams/codec/protobuf.ts'
import { readToken } from '../../../streams/codec/rare-event-codec.ts'

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const readerOf = (hex: string): WireReader => new WireReader(bytesOf(hex))

function written(write: (to: WireWriter) => void, capacity?: number): string {
  const to = new WireWriter(capacity)
  write(to)
  return to.finish().toString('hex')
}

/** Seven bits a byte, the lowest first, the top bit set on all but the last. */
const VARINTS: [string, Int64][] = [
  ['00', 0],
  ['01', 1],
  ['7f', 127],
  ['8001', 128],
  // 300 = 2 * 128 + 44.
  ['ac02', 300],
  // 2^28 - 1 and 2^28: the last of four bytes, the first of five.
  ['ffffff7f', 2 ** 28 - 1],
  ['8080808001', 2 ** 28],
  ['ffffffff0f', 2 ** 32 - 1],
  ['8080808010', 2 ** 32],
  // 2^53 - 1: seven bytes of seven bits and four more.
  ['ffffffffffffff0f', 2 ** 53 - 1],
  ['8080808080808010', 2n ** 53n],
  ['8180808080808010', 2n ** 53n + 1n],
  ['ffffffffffffffff7f', INT64_MAX],
]

test('encodes varints to the specified bytes, and decodes them', (t) => {
  for (const [hex, value] of VARINTS) {
    t.is(
      written((to) => to.varint(value)),
      hex,
      `${value}`,
    )
    const reader = readerOf(hex)
    t.is(reader.uint64(), value)
    t.is(reader.at, hex.length / 2)
  }
  // The whole of uint64 is read, though no event has it.
  t.is(readerOf('ffffffffffffffffff01').uint64(), 2n ** 64n - 1n)
})

test('a number that is padded with zeros is the same number', (t) => {
  t.is(readerOf('818000').uint64(), 1)
  t.is(readerOf('80808080808080808000').uint64(), 0)
})

test('a number of more than 64 bits, or that ends early, is no number', (t) => {
  const broken = [
    '',
    '80',
    'ffffffffffffffffff',
    // Bit 64; eleven bytes.
    'ffffffffffffffffff02',
    '8080808080808080808001',
  ]
  for (const hex of broken) t.throws(() => readerOf(hex).uint64(), { instanceOf: WireError }, hex)
})

test('refuses a safe integer beyond 2^53', (t) => {
  t.is(readerOf('ffffffffffffff0f').safe(), Number.MAX_SAFE_INTEGER)
  t.throws(() => readerOf('8080808080808010').safe(), { instanceOf: WireError })
})

/** 0 -1 1 -2 2 ... as 0 1 2 3 4 ..., after the tag of field 1. */
const ZIGZAGS: [string, Int64][] = [
  ['00', 0],
  ['01', -1],
  ['02', 1],
  ['ff01', -128],
  ['8002', 128],
  ['feffffffffffffffff01', INT64_MAX],
  ['ffffffffffffffffff01', INT64_MIN],
]

test('signed numbers go by zigzag, to both ends of int64', (t) => {
  for (const [hex, value] of ZIGZAGS) {
    t.is(
      written((to) => to.signed(8, value)),
      `08${hex}`,
    )
    t.is(readerOf(hex).sint64(), value)
  }
})

test('round-trips every int64 in both forms', (t) => {
  fc.assert(
    fc.property(fc.bigInt(INT64_MIN, INT64_MAX).map(int64), (value) => {
      const signed = new WireReader(bytesOf(written((to) => to.signed(8, value))))
      signed.tag()
      t.is(signed.sint64(), value)
      if (value < 0) return
      t.is(new WireReader(bytesOf(written((to) => to.varint(value)))).uint64(), value)
    }),
  )
})

test('zero is left out of a plain field and written in an optional one', (t) => {
  t.is(
    written((to) => to.integer(24, 0)),
    '',
  )
  t.is(
    written((to) => to.optionalInteger(24, 0)),
    '1800',
  )
  // Field 31 needs two bytes of tag: 31 * 8 = 248.
  t.is(
    written((to) => to.optionalInteger(248, 1)),
    'f80101',
  )
})

test('a double is its eight bytes, the lowest first', (t) => {
  t.is(
    written((to) => to.double(9, 1)),
    '09000000000000f03f',
  )
  t.is(readerOf('000000000000f03f').double(), 1)
  t.throws(() => readerOf('000000000000f0').double(), { instanceOf: WireError })
})

test('texts are UTF-8, and bytes that are not are refused', (t) => {
  t.is(
    written((to) => to.text(10, 'é')),
    '0a02c3a9',
  )
  t.is(readerOf('02c3a9').text(), 'é')
  // A lone continuation byte, a cut sequence, half of a surrogate pair.
  for (const hex of ['01a9', '01c3', '03eda080']) {
    t.throws(() => readerOf(hex).text(), { instanceOf: WireError }, hex)
  }
})

test('a tag without a field number, or of more than 32 bits, is refused', (t) => {
  t.is(readerOf('08').tag(), 8)
  t.is(readerOf('ffffffff0f').tag(), 2 ** 32 - 1)
  // Field 0 of four wire types; 2^32 + 8, which 32 bits would read as field 1.
  for (const hex of ['00', '01', '02', '05', '8880808010']) {
    t.throws(() => readerOf(hex).tag(), { instanceOf: WireError }, hex)
  }
})

test('a field is skipped by its wire type, and groups are refused', (t) => {
  const cases: [number, string, number][] = [
    [0, 'ffff03 08', 3],
    [1, '0102030405060708 08', 8],
    [2, '03 616263 08', 4],
    [5, '01020304 08', 4],
  ]
  for (const [wireType, hex, length] of cases) {
    const reader = readerOf(hex)
    reader.skip(wireType)
    t.is(reader.at, length)
  }
  for (const wireType of [3, 4, 6, 7]) {
    t.throws(() => readerOf('0000').skip(wireType), { instanceOf: WireError })
  }
  for (const [wireType, hex] of [
    [0, '80'],
    [1, '01020304050607'],
    [2, '0461'],
    [2, 'ffffffffffffffffff01'],
    [5, '010203'],
  ] as const) {
    t.throws(() => readerOf(hex).skip(wireType), { instanceOf: WireError }, hex)
  }
})

test('does not read past the end of a nested message, although bytes follow', (t) => {
  const reads: ((reader: WireReader) => unknown)[] = [
    (reader) => reader.uint64(),
    (reader) => reader.double(),
    (reader) => reader.ascii(),
    (reader) => reader.text(),
    (reader) => reader.skip(0),
    (reader) => reader.skip(1),
    (reader) => reader.skip(2),
    (reader) => reader.skip(5),
  ]
  for (const read of reads) {
    // Number, length and doubles alike would be complete with the bytes after the end.
    const reader = readerOf('88 01 61 61 61 61 61 61 61 61'.padEnd(600, '61'))
    reader.end = 1
    t.throws(() => read(reader), { instanceOf: WireError })
  }
})

test('a nested message has its length before it, at every size and however full the writer', (t) => {
  for (const length of [0, 1, 5, 127, 128, 16_383, 16_384, 70_000]) {
    for (const capacity of [length + 3, length + 4, length + 8, 1 << 17]) {
      const content = Buffer.alloc(length, 0x61)
      const to = new WireWriter(capacity)
      const mark = to.open(10)
      to.raw(content)
      to.close(mark)
      to.varint(5)
      const reader = new WireReader(to.finish())
      t.is(reader.tag(), 10)
      t.is(reader.ascii(), content.toString('latin1'), `${length} in ${capacity}`)
      t.is(reader.uint64(), 5)
      t.is(reader.at, reader.end)
    }
  }
})

test('a message that just fills the writer is not lost when its length is written', (t) => {
  // Ten bytes hold tag, two for a length and five; the length, put at 1, requires ten more.
  const to = new WireWriter(10)
  const mark = to.open(10)
  to.raw(Buffer.from('abcde'))
  to.close(mark)
  t.is(to.finish().toString('hex'), `0a05${Buffer.from('abcde').toString('hex')}`)
})

test('discards an unfinished message when the writer begins again', (t) => {
  const to = new WireWriter()
  to.ascii(10, 'left over')
  to.begin()
  to.integer(8, 1)
  t.is(to.finish().toString('hex'), '0801')
  t.is(to.finish().length, 0)
})

test('skips unknown fields and refuses a known field of another wire type', (t) => {
  const slotOf = (hex: string) => readToken(readerOf(hex)).slot
  // Field 9 as text, field 10 as 8 bytes, field 536870911 (the greatest) as a number, then field 2.
  t.is(slotOf('4a 01 61 51 0102030405060708 f8ffffff0f 07 10 05'), 5)
  // The later value of a field wins.
  t.is(slotOf('10 05 10 06'), 6)
  t.throws(() => slotOf('12 01 61'), { instanceOf: WireError, message: /field 2 has wire type 2/ })
})
