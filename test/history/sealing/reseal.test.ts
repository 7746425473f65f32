/** Rewriting of segments, their verification of segments, and chunks that sealing emptied. */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import type { StoredSwap } from '../../../history/sealed/stored-swap.ts'
import { reclaimChunks } from '../../../history/sealing/reclaim.ts'
import { reseal, sealSlots } from '../../../history/sealing/seal.ts'
import { sealOld } from '../../../history/sealing/sealer.ts'
import { thaw } from '../../../history/sealing/thaw.ts'
import { verifyHistory } from '../../../history/sealing/verify-history.ts'
import { type Connection, type Db, inTransaction, onConnection } from '../../../sql/db.ts'
import {
  ALL_SLOTS,
  hotSwaps,
  manySwaps,
  sealedSwaps,
  signatureRows,
  storeNames,
  storeSwaps,
  textsOf,
} from '../../support/history/stored-history.ts'
import { testDatabase } from '../../support/servers/database.ts'

async function openHistory(t: ExecutionContext): Promise<Db> {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await storeNames(db)
  return db
}

const someSwaps = (count: number, seed = 1): StoredSwap[] =>
  fc.sample(manySwaps(count), { numRuns: 1, seed })[0]!

const { signal } = new AbortController()
const ALL = { beforeMs: undefined, toSlot: ALL_SLOTS.high, partsOfChunks: true }

async function damageIn(connection: Connection): Promise<string[]> {
  const found: string[] = []
  for await (const { damage } of verifyHistory(connection, signal)) found.push(...damage)
  return found
}

const damageOf = (db: Db): Promise<string[]> => onConnection(db, damageIn)

const chunksOf = async (db: Db): Promise<number> =>
  (await db.query("select from show_chunks('swap')")).rowCount!

test('a segment that is rewritten has its rows that count and those of the table', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(400)
  const [early, late] = [swaps.slice(0, 300), swaps.slice(300)]
  await storeSwaps(db, early)
  await onConnection(db, (connection) => sealSlots(connection, ALL_SLOTS))
  const moved = early.slice(0, 40).map((swap) => ({ poolId: swap.pool_id, slot: swap.slot }))
  await inTransaction(db, (connection) => thaw(connection, 0, moved))
  const hotCount = (await hotSwaps(db)).length
  t.true(hotCount >= 40)
  t.is((await sealedSwaps(db)).length, early.length - hotCount)
  const [change] = await hotSwaps(db)
  await db.query('update swap set price_impact_bps = 5 where slot = $1 and signature = $2', [
    change!.slot,
    change!.signature,
  ])
  await storeSwaps(db, late)
  t.deepEqual(await damageOf(db), [])
  const all = textsOf([...(await hotSwaps(db)), ...(await sealedSwaps(db))])
  const written = await onConnection(db, (connection) => reseal(connection, 1, 7))
  t.like(written, { outcome: 'sealed', segmentId: 2 })
  t.deepEqual(textsOf([...(await hotSwaps(db)), ...(await sealedSwaps(db))]), all)
  t.is((await sealedSwaps(db)).length >= early.length, true)
  t.deepEqual(await damageOf(db), [])
  const { rows } = await db.query('select id, gone_count from segment')
  t.deepEqual(rows, [{ id: 2, gone_count: 0 }])
  t.is((await db.query('select from swap_block where segment_id = 1')).rowCount, 0)
})

test('each run of slots is sealed once, and chunks are dropped that are empty for every snapshot', async (t) => {
  const db = await openHistory(t)
  const near = someSwaps(300)
  const far = someSwaps(200, 2).map((swap) => ({ ...swap, slot: swap.slot + 200_000 }))
  await storeSwaps(db, [...near, ...far])
  const reader = await db.connect()
  t.teardown(() => reader.release())
  await reader.query('begin isolation level repeatable read')
  await reader.query('select from pool')
  const runs: number[] = []
  const report = await sealOld(db, ALL, signal, ({ rows }) => runs.push(rows))
  t.deepEqual(report, { runs: runs.length, waits: undefined })
  t.is(runs.length, await chunksOf(db))
  t.deepEqual(textsOf(await hotSwaps(reader)), textsOf([...near, ...far]))
  await reader.query('commit')
  t.is(await onConnection(db, reclaimChunks), runs.length - 1)
  t.is(await chunksOf(db), 1)
  t.is(await signatureRows(db), 0)
  t.deepEqual(textsOf(await sealedSwaps(db)), textsOf([...near, ...far]))
  t.deepEqual(await sealOld(db, ALL, signal, () => t.fail()), { runs: 0, waits: undefined })
})

/** Bytes of the chunks of the first slots with their indexes. */
async function bytesOf(db: Db): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>(
    "select sum(pg_total_relation_size(chunk))::bigint as bytes from show_chunks('swap', older_than => 400100000::bigint) as chunk",
  )
  return Number(rows[0]!.bytes)
}

test('a chunk in which few rows stay gives its room back, and no snapshot misses one of them', async (t) => {
  const db = await openHistory(t)
  const near = someSwaps(4_000)
  const far = someSwaps(20, 2).map((swap) => ({ ...swap, slot: swap.slot + 200_000 }))
  // Rows that stay, in all pages of the chunk.
  const foreign = near.filter((_, index) => index % 200 === 0)
  foreign.forEach((swap, index) => {
    swap.signature = `no base58: 0OIl ${index}`
  })
  await storeSwaps(db, [...near, ...far])
  const before = await bytesOf(db)
  const reader = await db.connect()
  t.teardown(() => reader.release())
  await reader.query('begin isolation level repeatable read')
  await reader.query('select from pool')
  await sealOld(db, ALL, signal, () => undefined)
  t.deepEqual(textsOf(await hotSwaps(reader)), textsOf([...near, ...far]))
  await reader.query('commit')
  const stayed = textsOf(await hotSwaps(db))
  t.true(stayed.length >= foreign.length && stayed.length < 200)
  await onConnection(db, reclaimChunks)
  t.true((await bytesOf(db)) < before / 4, `${await bytesOf(db)} of ${before}`)
  t.deepEqual(textsOf(await hotSwaps(db)), stayed)
  t.deepEqual(
    textsOf([...(await hotSwaps(db)), ...(await sealedSwaps(db))]),
    textsOf([...near, ...far]),
  )
  // A commit that is not published is found by its transaction.
  const { rows: moved } = await db.query('select xmin::text, ctid::text from swap order by slot')
  await onConnection(db, reclaimChunks)
  const { rows: again } = await db.query('select xmin::text, ctid::text from swap order by slot')
  t.deepEqual(again, moved)
})

test('rows of a commit that is not published, and of a chunk that a writer holds, do not move', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(4_000)
  swaps.forEach((swap, index) => {
    if (index % 200 === 0) swap.signature = `no base58: 0OIl ${index}`
  })
  await storeSwaps(db, swaps)
  await onConnection(db, (connection) => sealSlots(connection, ALL_SLOTS))
  // A later chunk, so that all slots of the first one are sealed.
  await storeSwaps(db, [{ ...swaps[0]!, slot: swaps[0]!.slot + 400_000 }])
  await onConnection(db, (connection) =>
    sealSlots(connection, { low: 400_100_000, high: ALL_SLOTS.high }),
  )
  const positions = async () =>
    (await db.query('select xmin::text, ctid::text from swap order by ctid')).rows
  const before = await positions()
  await db.query(
    `insert into checkpoint (actor, lane, first_slots, last_slots)
     values ('pool', 0, '{400000000}', '{400009999}')`,
  )
  await onConnection(db, reclaimChunks)
  t.deepEqual(await positions(), before)
  await db.query("update checkpoint set first_slots = '{}', last_slots = '{}'")
  const writer = await db.connect()
  await writer.query('begin')
  await writer.query('update swap set price_impact_bps = price_impact_bps where slot = 1')
  await writer.query('lock table swap in row exclusive mode')
  await onConnection(db, reclaimChunks)
  t.deepEqual(await positions(), before)
  await writer.query('rollback')
  writer.release()
  await onConnection(db, reclaimChunks)
  t.notDeepEqual(await positions(), before)
})

test('a segment of which many rows are gone or came later is rewritten, and one without rows is deleted', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(400).toSorted((a, b) => a.slot - b.slot)
  const late = swaps.slice(200, 210)
  const early = swaps.filter((swap) => !late.includes(swap))
  await storeSwaps(db, early)
  await onConnection(db, (connection) => sealSlots(connection, ALL_SLOTS))
  const idsOf = async () => (await db.query('select id, row_count from segment')).rows
  const [first, ...others] = await idsOf()
  t.deepEqual(others, [])
  await storeSwaps(db, late.slice(0, 5))
  await sealOld(db, ALL, signal, () => t.fail())
  t.deepEqual(await idsOf(), [first], '1 % is not rewritten')
  await storeSwaps(db, late.slice(5))
  await sealOld(db, ALL, signal, () => t.fail())
  const [second] = await idsOf()
  t.true(second!.id > first!.id && second!.row_count > first!.row_count)
  t.deepEqual(textsOf([...(await hotSwaps(db)), ...(await sealedSwaps(db))]), textsOf(swaps))
  const all = (await sealedSwaps(db)).map((swap) => ({ poolId: swap.pool_id, slot: swap.slot }))
  await inTransaction(db, (connection) => thaw(connection, 0, all))
  await db.query('delete from swap')
  await db.query('delete from swap_signature')
  await sealOld(db, ALL, signal, () => t.fail())
  t.deepEqual(await idsOf(), [])
  t.is((await db.query('select from swap_block')).rowCount, 0)
  t.deepEqual(await damageOf(db), [])
})

test('swaps that are too young, and those that a lane is still to publish, are not sealed', async (t) => {
  const db = await openHistory(t)
  const swaps = someSwaps(300)
  await storeSwaps(db, swaps)
  await db.query(
    `insert into slot_span (lane, width, bucket, first_ms, last_ms)
     values (0, 10000, 400000000, 0, 100), (0, 10000, 400010000, 0, 200), (0, 10000, 400020000, 0, 150)`,
  )
  const young = { beforeMs: 200, toSlot: ALL_SLOTS.high, partsOfChunks: true }
  await db.query(
    `insert into checkpoint (actor, lane, first_slots, last_slots)
     values ('pool', 0, '{400000000}', '{400009999}')`,
  )
  const waiting = await sealOld(db, young, signal, () => t.fail())
  t.deepEqual(waiting, {
    runs: 0,
    waits: { cause: 'unpublished_commit', reason: 'a commit of a pool lane is not published' },
  })
  await db.query("update checkpoint set first_slots = '{}', last_slots = '{}'")
  t.deepEqual(await sealOld(db, { ...young, partsOfChunks: false }, signal, () => t.fail()), {
    runs: 0,
    waits: undefined,
  })
  t.like(await sealOld(db, young, signal, () => undefined), { waits: undefined })
  const old = swaps.filter(({ slot }) => slot < 400_010_000)
  t.deepEqual(textsOf(await sealedSwaps(db)), textsOf(old))
})

test('verification names what is damaged', async (t) => {
  const db = await openHistory(t)
  await storeSwaps(db, someSwaps(300))
  await onConnection(db, (connection) => sealSlots(connection, ALL_SLOTS))
  t.deepEqual(await damageOf(db), [])
  const spoiled = async (statement: string): Promise<string> => {
    const connection = await db.connect()
    await connection.query('begin')
    await connection.query(statement)
    const damage = await damageIn(connection)
    await connection.query('rollback')
    connection.release()
    return damage.join('; ')
  }
  const flipped = 'bytes = set_byte(bytes, 300, get_byte(bytes, 300) # 1)'
  t.regex(
    await spoiled(`update swap_block set ${flipped} where first_row = 0`),
    /^block 0 of segment 1 is damaged: its checksum/,
  )
  t.regex(await spoiled('delete from swap_block where first_row > 0'), /expected/)
  t.regex(
    await spoiled("update segment set content_hash = '0'"),
    /^its rows have the hash [0-9a-f]{16}, expected 0$/,
  )
  t.regex(
    await spoiled('delete from swap_posting where kind = 3 and bucket = 0'),
    /^posting "wallet" 0\/0 of segment 1 is missing$/,
  )
  t.regex(
    await spoiled(`update swap_posting set bytes = (
      select bytes from swap_posting where kind = 6 and bucket = 2
    ) where kind = 6 and bucket = 1`),
    /^posting "pool" 1\/0 of segment 1 is not that of its rows$/,
  )
  t.regex(await spoiled('insert into swap_gone values (1, 2)'), /^1 row gone, expected 0/)
})
