/** Blocks of sealed history: every row back to the bit, and damage that is never a shorter answer. */
import { crc32 } from 'node:zlib'
import test from 'ava'
import fc from 'fast-check'
import { VENUES } from '../../../domain/venue.ts'
import { decodeBlock, encodeBlock } from '../../../history/codec/block.ts'
import { BLOCK_ROWS_MAX } from '../../../history/codec/columns/block-columns.ts'
import {
  blockName,
  DamagedHistory,
  discloseAny,
  ENVELOPE_BYTES,
  enclose,
  encloseIn,
  FORMAT,
  type Format,
  formatOf,
  pack,
  UnknownFormat,
  unpack,
} from '../../../history/codec/envelope.ts'
import type { SealedSwap } from '../../../history/codec/row.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { readGolden, rowOfWritten, writtenRow } from '../../support/history/golden.ts'
import {
  anyRow,
  extremeRows,
  firstDifference,
  ROW,
  signature,
} from '../../support/history/row-cases.ts'
import { segmentOf } from '../../support/history/sealed-rows.ts'
import { onAllVenues } from '../../support/market/all-venues.ts'
import { sizeOf } from '../../support/seed.ts'

const SUBJECT = blockName(4, 93)
const SMALL: SealedSwap[][] = [[], [ROW], extremeRows().slice(0, 5)]
const RUNS = sizeOf({ daily: 200, long: 5_000 })

/** Where the two lists differ; undefined where they are the same to the bit. */
function differenceOf(
  rows: readonly SealedSwap[],
  others: readonly SealedSwap[],
): string | undefined {
  if (rows.length !== others.length) return `${rows.length} rows, found ${others.length}`
  for (const [index, row] of rows.entries()) {
    const name = firstDifference(row, others[index]!)
    if (name !== undefined)
      return `${name} of row ${index}: ${row[name]}, found ${others[index]![name]}`
  }
  return undefined
}

const through = (rows: readonly SealedSwap[]): SealedSwap[] =>
  decodeBlock(encodeBlock(rows), SUBJECT)

test('decodes the golden blocks of every format that was ever written', (t) => {
  for (let format = 1; format <= FORMAT; format++) {
    const blocks = readGolden(format).filter(({ kind }) => kind === 'block')
    t.true(blocks.length > 5)
    for (const { name, bytes, meaning } of blocks) {
      const rows = (meaning as Parameters<typeof rowOfWritten>[0][]).map(rowOfWritten)
      t.is(differenceOf(rows, decodeBlock(bytes, name)), undefined, `format ${format}, ${name}`)
      t.is(differenceOf(rows, through(rows)), undefined, name)
      t.deepEqual(rows.map(writtenRow), meaning, name)
    }
  }
})

test('a block is of the least format that has its values', (t) => {
  const stated = { ...ROW, outside_protocol_bps: 5, outside_creator_bps: 0 }
  t.is(formatOf(encodeBlock([ROW])), 1)
  t.is(formatOf(encodeBlock([ROW, stated])), 2)
  t.is(formatOf(encodeBlock([ROW, { ...stated, outside_protocol_bps: null }])), 2)
  for (const { bytes, meaning } of readGolden(1).filter(({ kind }) => kind === 'block')) {
    const rows = (meaning as Parameters<typeof rowOfWritten>[0][]).map(rowOfWritten)
    t.is(formatOf(encodeBlock(rows)), formatOf(bytes))
  }
})

test('the golden blocks hold extremes, nulls, no row and a single one', (t) => {
  const blocks = readGolden(FORMAT).filter(({ kind }) => kind === 'block')
  const counts = blocks.map(({ meaning }) => (meaning as unknown[]).length)
  t.true(counts.includes(0) && counts.includes(1))
  const text = JSON.stringify(blocks.map(({ meaning }) => meaning))
  const ends = [
    '9223372036854775807',
    '-9223372036854775808',
    '9007199254740993',
    '-2147483648',
    '32767',
  ]
  for (const end of ends) t.true(text.includes(`"${end}"`), end)
})

test('retains the ends of every column, each by itself and all at once', (t) => {
  t.is(differenceOf(extremeRows(), through(extremeRows())), undefined)
  for (const row of extremeRows()) t.is(differenceOf([row], through([row])), undefined)
})

test('integers beyond 2^53 come back in canonical form', (t) => {
  const [decoded] = through([
    { ...ROW, real_token_reserves: 2n ** 53n + 1n, sol_amount: 2 ** 53 - 1 },
  ])
  t.is(decoded?.real_token_reserves, 9_007_199_254_740_993n)
  t.is(decoded?.sol_amount, 9_007_199_254_740_991)
})

test('reserves beyond 2^53 follow from the amounts exactly', (t) => {
  const reserve = (n: bigint): SealedSwap => ({
    ...{ ...ROW, real_token_reserves: 2n ** 60n - n * 3n, real_sol_reserves: 2n ** 61n + n },
    ...{
      sol_amount: 1,
      token_amount: 3,
      slot: ROW.slot + Number(n),
      signature: signature(Number(n)),
    },
  })
  const rows = Array.from({ length: 100 }, (_, n) => reserve(BigInt(n)))
  t.is(differenceOf(rows, through(rows)), undefined)
  const still = rows.map((row) => ({
    ...row,
    real_token_reserves: 2n ** 60n,
    real_sol_reserves: 2n ** 61n,
  }))
  t.true(encodeBlock(rows).length < encodeBlock(still).length + 8)
})

test('any rows of any venue are the same after encoding and decoding', (t) => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 60 }), (rows) => {
      return differenceOf(rows, through(rows)) === undefined
    }),
    { numRuns: RUNS },
  )
  t.pass()
})

test('simulated swaps of all venues are the same, in any order and selection', (t) => {
  const events = onAllVenues(simulate({ seed: 7, swaps: 3_000, fromMs: Date.UTC(2026, 8, 1) }))
  const { rows } = segmentOf(events)
  t.is(new Set(rows.map(({ dex }) => dex)).size, VENUES.length)
  fc.assert(
    fc.property(fc.shuffledSubarray(rows, { maxLength: 200 }), fc.boolean(), (some, isSorted) => {
      const chosen = isSorted ? some.toSorted((a, b) => rows.indexOf(a) - rows.indexOf(b)) : some
      return differenceOf(chosen, through(chosen)) === undefined
    }),
    { numRuns: RUNS / 2 },
  )
})

test('a signature that several rows have is stored once', (t) => {
  const alone = encodeBlock([
    ROW,
    { ...ROW, signature: signature(2) },
    { ...ROW, signature: signature(3) },
  ])
  const shared = encodeBlock([ROW, { ...ROW, signature: signature(2) }, ROW])
  t.true(alone.length - shared.length > 55)
  const twins = [signature(1), signature(1)]
  twins[1]![63] = 9
  const rows = twins.map((each) => ({ ...ROW, signature: each }))
  t.is(differenceOf(rows, through(rows)), undefined)
})

/** Runs, and returns what it throws. */
function errorOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

test('a block with a flipped bit is an error that names it', (t) => {
  for (const rows of SMALL) {
    const whole = encodeBlock(rows)
    for (let bit = 0; bit < 8 * whole.length; bit++) {
      const bytes = Uint8Array.from(whole)
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      const error = errorOf(() => decodeBlock(bytes, SUBJECT))
      if (error instanceof DamagedHistory && error.message.startsWith(`${SUBJECT} is damaged: `))
        continue
      t.fail(`bit ${bit} of a block of ${rows.length}: ${error}`)
    }
  }
  t.pass()
})

test('a block that is cut anywhere, or has bytes after its end, is an error that names it', (t) => {
  for (const rows of SMALL) {
    const whole = encodeBlock(rows)
    const cuts = Array.from(whole.keys(), (length) => whole.slice(0, length))
    for (const bytes of [...cuts, Buffer.concat([whole, Uint8Array.of(0)])]) {
      const error = errorOf(() => decodeBlock(bytes, SUBJECT))
      t.true(error instanceof DamagedHistory, `${bytes.length} of ${whole.length}: ${error}`)
      t.is((error as DamagedHistory).subject, SUBJECT)
    }
  }
})

test('an error of damage has the block and the reason', (t) => {
  const bytes = encodeBlock([ROW])
  const cut = errorOf(() => decodeBlock(bytes.subarray(0, 50), SUBJECT)) as DamagedHistory
  const reason = new RegExp(
    `^its checksum is \\d+, expected \\d+, and it has 50 bytes, expected ${bytes.length}$`,
  )
  t.regex(cut.reason, reason)
  t.is(cut.message, `block 93 of segment 4 is damaged: ${cut.reason}: restore it from a backup`)
})

/** The block with another body, as a writer with an error would have left it: its checksum is right. */
const rewritten = (body: Buffer, format: Format): Uint8Array => encloseIn(format, 'block', body)

test('a whole block with a wrong content is damage as well, and no other error', (t) => {
  for (const rows of SMALL.slice(1)) {
    const { format, body } = discloseAny('block', encodeBlock(rows), SUBJECT)
    const head = body.subarray(0, 4 + 64 * rows.length)
    const columns = unpack(body.subarray(head.length), SUBJECT)
    const changed = (change: (bytes: Buffer) => Buffer): Uint8Array =>
      rewritten(Buffer.concat([head, pack(change(Buffer.from(columns)))]), format)
    let refused = 0
    for (let at = 0; at < columns.length; at++) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const bytes = changed((copy) => {
          copy[at] = value
          return copy
        })
        const error = errorOf(() => {
          if (decodeBlock(bytes, SUBJECT).length !== rows.length) throw new RangeError('is shorter')
        })
        if (error === undefined) continue
        if (!(error instanceof DamagedHistory)) t.fail(`${at} ${value}: ${error}`)
        refused += 1
      }
      const cut = errorOf(() =>
        decodeBlock(
          changed((copy) => copy.subarray(0, at)),
          SUBJECT,
        ),
      )
      if (!(cut instanceof DamagedHistory)) t.fail(`cut at ${at}: ${cut}`)
    }
    t.true(refused > 20)
  }
})

test('heads that contradict the content are damage', (t) => {
  const two = encodeBlock([ROW, { ...ROW, signature: signature(2) }])
  const { format, body } = discloseAny('block', two, SUBJECT)
  const heads = [
    [1, 2],
    [2, 1],
    [3, 2],
    [2, 3],
    [65_535, 2],
    [0, 0],
  ]
  for (const [rows = 0, signatures = 0] of heads) {
    const copy = Buffer.from(body)
    copy.writeUInt16LE(rows, 0)
    copy.writeUInt16LE(signatures, 2)
    const error = errorOf(() => decodeBlock(rewritten(copy, format), SUBJECT))
    t.true(error instanceof DamagedHistory, `${rows} rows, ${signatures} signatures: ${error}`)
  }
  const short = rewritten(Buffer.alloc(2), format)
  t.true(errorOf(() => decodeBlock(short, SUBJECT)) instanceof DamagedHistory)
  t.true(errorOf(() => decodeBlock(enclose('order', body), SUBJECT)) instanceof DamagedHistory)
})

test('a format that this version does not know is refused by its number', (t) => {
  const bytes = Buffer.from(encodeBlock([ROW]))
  bytes[4] = FORMAT + 1
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0)
  const error = errorOf(() => decodeBlock(bytes, SUBJECT))
  t.true(error instanceof UnknownFormat)
  t.is(
    (error as UnknownFormat).message,
    'block 93 of segment 4 has format 3, expected 1 or 2: read it by the version that wrote it or a later one',
  )
  t.true(bytes.length > ENVELOPE_BYTES)
})

test('refuses to encode what no row of the table can have', (t) => {
  const encode = (change: Partial<SealedSwap>) => () => encodeBlock([{ ...ROW, ...change }])
  t.throws(encode({ dex: 40_000 }), { message: 'dex 40000 of row 0: expected an int2' })
  t.throws(encode({ wallet_tags: -32_769 }), { instanceOf: RangeError })
  t.throws(encode({ slot: 2 ** 53 }), { instanceOf: RangeError })
  t.throws(encode({ sol_amount: 2n ** 63n }), { instanceOf: RangeError })
  t.throws(encode({ ix_index: 0.5 }), { instanceOf: RangeError })
  t.throws(encode({ pool_id: 2 ** 31 }), { instanceOf: RangeError })
  t.throws(encode({ signature: new Uint8Array(63) }), { message: /63 bytes, expected 64/ })
  const many = Array.from({ length: BLOCK_ROWS_MAX + 1 }, () => ROW)
  t.throws(() => encodeBlock(many), { instanceOf: RangeError })
  t.is(through(many.slice(1)).length, BLOCK_ROWS_MAX)
})
