/** Postings of sealed history against the rows that they are made of, and damage in each kind. */
import test from 'ava'
import { signatureHash } from '../../../domain/numbers/signature-hash.ts'
import { DamagedHistory, FORMAT, type Kind, postingName } from '../../../history/codec/envelope.ts'
import {
  orderBucket,
  orderPostings,
  slotsOfPosting,
} from '../../../history/codec/postings/order.ts'
import {
  largePostings,
  largeRows,
  type PoolRun,
  poolBucket,
  poolPostings,
  runsOfPools,
} from '../../../history/codec/postings/pool.ts'
import type { Posting, RowList } from '../../../history/codec/postings/row-list.ts'
import { segmentPostings } from '../../../history/codec/postings/segment.ts'
import {
  signatureBits,
  signatureBucket,
  signatureFinder,
  signatureMark,
  signaturePostings,
} from '../../../history/codec/postings/signature.ts'
import {
  rowsOfPart,
  rowsOfWallets,
  walletBits,
  walletBucket,
  walletPostings,
} from '../../../history/codec/postings/wallet.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { readGolden } from '../../support/history/golden.ts'
import {
  blockhashOf,
  type Segment,
  segmentOf,
  withBlockhashes,
} from '../../support/history/sealed-rows.ts'
import { onAllVenues } from '../../support/market/all-venues.ts'

const SWAPS = 20_000

/** With a block hash a slot, as chain data has them. */
function market(): Segment {
  const events = onAllVenues(simulate({ seed: 11, swaps: SWAPS, fromMs: Date.UTC(2026, 8, 1) }))
  return withBlockhashes(segmentOf(events))
}

const SEGMENT = market()
const FIRST_SLOT = SEGMENT.rows[SEGMENT.canonical[0]!]!.slot
const POSTINGS = Map.groupBy(segmentPostings(SEGMENT), ({ kind }) => kind)

function posting(kind: Kind, bucket: number, part = 0): Posting | undefined {
  return POSTINGS.get(kind)?.find((each) => each.bucket === bucket && each.part === part)
}

/** Rows in canonical order that satisfy the condition, by looking at each. */
const rowsWhere = (condition: (row: Segment['rows'][number]) => boolean): number[] =>
  Array.from(SEGMENT.canonical).filter((row) => condition(SEGMENT.rows[row]!))

test('finds each signature, and none that the segment lacks', (t) => {
  const bits = signatureBits(SWAPS)
  const find = (signature: string): number[] => {
    const hash = signatureHash(signature)
    const [high, low] = [Number(hash >> 32n) | 0, Number(BigInt.asIntN(32, hash))]
    const found = posting('signature', signatureBucket(high, bits))
    return found === undefined
      ? []
      : signatureFinder(found.bytes, 'posting')(signatureMark(high, low, bits))
  }
  for (const [row, { signature }] of SEGMENT.swaps.entries()) {
    if (row % 37 === 0) t.true(find(signature).includes(row), signature)
  }
  const unknown = Array.from({ length: 200 }, (_, n) => find(`unknown ${n}`).length)
  t.true(unknown.reduce((sum, count) => sum + count, 0) <= 2)
})

test('lists the rows of a wallet in canonical order with their slots, also of a busy one', (t) => {
  const bits = walletBits(SWAPS)
  const counts = new Map<number, number>()
  for (const { wallet_id: id } of SEGMENT.rows) counts.set(id, (counts.get(id) ?? 0) + 1)
  const busiest = [...counts].sort(([, a], [, b]) => b - a)
  t.true(busiest[0]![1] > 600)
  for (const [id] of [...busiest.slice(0, 3), ...busiest.slice(-200)]) {
    const found = posting('wallet', walletBucket(id, bits))!
    const rows = rowsOfWallet(found.bytes, { id, bits })
    const list = rows === 'heavy' ? joined(id) : rows!
    const expected = rowsWhere((row) => row.wallet_id === id)
    t.deepEqual(list.rows, expected)
    t.deepEqual(
      list.slots,
      expected.map((row) => SEGMENT.rows[row]!.slot),
    )
  }
  const bucket = posting('wallet', 0)!
  t.is(rowsOfWallet(bucket.bytes, { id: 2 ** 30, bits }), undefined)
  const ids = [...counts.keys()].filter((id) => walletBucket(id, bits) === 0)
  const lists = rowsOfWallets(bucket.bytes, { ids: [...ids, 2 ** 30], bits }, 'posting')
  t.deepEqual(
    [...lists.keys()],
    ids.sort((a, b) => a - b),
  )
  for (const id of ids) t.deepEqual(lists.get(id), rowsOfWallet(bucket.bytes, { id, bits }))
})

function rowsOfWallet(
  bytes: Uint8Array,
  { id, bits }: { id: number; bits: number },
  subject = 'posting',
): RowList | 'heavy' | undefined {
  return rowsOfWallets(bytes, { ids: [id], bits }, subject).get(id)
}

function runsOfPool(id: number): PoolRun[] {
  const bucket = poolBucket(id)
  return runsOfPools(posting('pool', bucket)!.bytes, bucket, 'posting').get(id) ?? []
}

function joined(id: number): RowList {
  const parts = POSTINGS.get('heavy_wallet')!.filter(({ bucket }) => bucket === id)
  const lists = parts.map(({ bytes }) => rowsOfPart(bytes, 'posting'))
  return { slots: lists.flatMap(({ slots }) => slots), rows: lists.flatMap(({ rows }) => rows) }
}

test('lists the rows of each slot in canonical order, with its block hashes', (t) => {
  const slots = POSTINGS.get('order')!.flatMap(({ bytes, bucket }) => {
    const own = slotsOfPosting(bytes, 'posting')
    for (const { slot } of own) t.is(orderBucket(slot, FIRST_SLOT), bucket)
    return own
  })
  t.deepEqual(
    slots.flatMap(({ rows }) => rows),
    Array.from(SEGMENT.canonical),
  )
  t.deepEqual(
    slots.map(({ slot, blockhashes }) => [slot, blockhashes]),
    slots.map(({ slot }) => [slot, [blockhashOf(slot)]]),
  )
})

test('lists the runs of a pool, and the large swaps', (t) => {
  const pools = new Set(SEGMENT.rows.map(({ pool_id: id }) => id))
  for (const id of pools) {
    const runs = runsOfPool(id)
    const rows = runs.flatMap(({ firstRow, rowCount }) =>
      Array.from({ length: rowCount }, (_, n) => firstRow + n),
    )
    t.deepEqual(
      rows.sort((a, b) => a - b),
      rowsWhere((row) => row.pool_id === id).sort((a, b) => a - b),
    )
  }
  t.deepEqual(runsOfPool(1 + 256 * 4_000), [])
  const large = POSTINGS.get('large')!.flatMap(({ bytes }) => largeRows(bytes, 'posting').rows)
  t.true(large.length > 0)
  t.deepEqual(
    large,
    rowsWhere((row) => row.sol_amount >= 10_000_000_000),
  )
})

test('a segment without rows has no postings', (t) => {
  t.deepEqual([...segmentPostings(segmentOf([]))], [])
})

test('an empty slot, a fork with two hashes and the last row of a segment are possible', (t) => {
  const slots = [
    { slot: 7, rows: [], blockhashes: [] },
    { slot: 8, rows: [2 ** 24 - 1, 0], blockhashes: [blockhashOf(1), blockhashOf(2)] },
  ]
  const postings = [...orderPostings(slots, 7)]
  t.is(postings.length, 2)
  t.deepEqual(
    postings.flatMap(({ bytes }) => slotsOfPosting(bytes, 'posting')),
    slots,
  )
})

type Reading = (bytes: Uint8Array, subject: string) => unknown

const READERS: Record<string, Reading> = {
  signature: (bytes, subject) => signatureFinder(bytes, subject)(0),
  wallet: (bytes, subject) => rowsOfWallet(bytes, { id: 3, bits: 0 }, subject),
  heavy_wallet: rowsOfPart,
  order: slotsOfPosting,
  pool: (bytes, subject) => runsOfPools(bytes, 7, subject),
  large: largeRows,
}

/** The content of a golden posting, read with the keys that its meaning lists. */
function meaningOf(kind: string, bytes: Uint8Array, meaning: object): unknown {
  if ('marks' in meaning) {
    const marks = meaning.marks as [number, number[]][]
    return { marks: marks.map(([mark]) => [mark, signatureFinder(bytes, kind)(mark)]) }
  }
  if ('wallets' in meaning) {
    const wallets = meaning.wallets as [number, unknown][]
    return {
      wallets: wallets.map(([id]) => [id, rowsOfWallet(bytes, { id, bits: 0 }) ?? null]),
    }
  }
  if ('pools' in meaning) {
    const pools = meaning.pools as [number, unknown][]
    return {
      pools: pools.map(([id]) => [id, runsOfPools(bytes, poolBucket(id), kind).get(id) ?? []]),
    }
  }
  return READERS[kind]!(bytes, kind)
}

test('reads the golden postings of every format that was ever written', (t) => {
  for (let format = 1; format <= FORMAT; format++) {
    const postings = readGolden(format).filter(({ kind }) => kind !== 'block')
    t.deepEqual([...new Set(postings.map(({ kind }) => kind))].sort(), Object.keys(READERS).sort())
    for (const { name, kind, bytes, meaning } of postings) {
      t.deepEqual(meaningOf(kind, bytes, meaning as object), meaning, name)
    }
  }
})

test('a posting with a flipped byte, or cut anywhere, is an error that names it', (t) => {
  for (const { kind, bytes: whole } of readGolden(FORMAT)) {
    const read = READERS[kind]
    if (read === undefined || whole.length > 300) continue
    const subject = postingName(4, kind as Kind, 17, 2)
    const damaged = Array.from(whole.keys()).flatMap((at) => {
      const bytes = Uint8Array.from(whole)
      bytes[at]! ^= 0x10
      return [bytes, whole.slice(0, at)]
    })
    for (const bytes of damaged) {
      const error = t.throws(() => read(bytes, subject), { instanceOf: DamagedHistory })
      t.true(error?.message.startsWith(`posting "${kind}" 17/2 of segment 4 is damaged: `))
    }
  }
})

test('refuses to write what cannot be read', (t) => {
  const list = (slots: number[], rows: number[]) => new Map([[1, { slots, rows }]])
  t.throws(() => [...walletPostings(list([5, 4], [1, 2]), 0, 0)], { instanceOf: RangeError })
  t.throws(() => [...walletPostings(list([5], [1]), 0, 6)], { instanceOf: RangeError })
  t.throws(() => [...largePostings(list([5], [2 ** 24]))], { message: /16777216 rows at most/ })
  t.throws(() => [...orderPostings([{ slot: 1, rows: [1], blockhashes: ['1'] }], 1)], {
    message: 'blockhash "1": expected base58 of 32 bytes',
  })
  t.throws(() => [...poolPostings(new Map([[1, [{ slice: 0, firstRow: -1, rowCount: 1 }]]]))], {
    instanceOf: RangeError,
  })
  t.is([...signaturePostings(new Int32Array(0), 0)].length, 0)
})
