/** The table of coverage: runs that touch are merged, swaps are counted once, and nothing is recorded too early. */
import test, { type ExecutionContext } from 'ava'
import { addCoverage, CoverageRecorder, type ReadBlock } from '../../../deploy/chain/coverage.ts'
import { listCoverage, takeFromCoverage } from '../../../sql/coverage.ts'
import type { Db } from '../../../sql/db.ts'
import type { SourceBatch } from '../../../streams/sources/source.ts'
import { swapEvent } from '../../support/events/sample-event.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { testServers } from '../../support/servers/servers.ts'
import { until } from '../../support/workers/pipeline.ts'

const KEY = { venues: 2, decoderVersion: 1, source: 'backfill', commitment: 'confirmed' }
const { log } = recordingLog()

async function openDatabase(t: ExecutionContext) {
  const database = await testDatabase(testServers().databaseUrl)
  t.teardown(() => database.drop())
  return database.db
}

function recorderOf(t: ExecutionContext, db: Db): CoverageRecorder {
  const recorder = new CoverageRecorder(db, KEY, log, (error) => t.fail(String(error)))
  t.teardown(() => recorder.close())
  return recorder
}

/** A batch of one slot; `branch` names its block. */
function batch(cursor: string, swaps: number, branch = 'a'): SourceBatch {
  const slot = Number.parseInt(cursor, 10)
  const parent = { parentSlot: slot - 1, parentBlockhash: `${slot - 1}a` }
  return {
    ...{ cursor, events: Array.from({ length: swaps }, () => swapEvent()) },
    ...{ units: 1, newest: undefined, notices: [] },
    link: { slot, blockhash: `${slot}${branch}`, ...parent },
  }
}

/** After this slot the source yields another branch. */
const fork = (slot: number): SourceBatch => ({
  ...{ cursor: String(slot), events: [], units: 0, newest: undefined, notices: [] },
})

/** Slots with the swaps of their blocks. */
const blocks = (swaps: Record<number, number>, branch = 'a'): ReadBlock[] =>
  Object.entries(swaps).map(([slot, count]) => ({
    ...{ slot: Number(slot), blockhash: `${slot}${branch}`, swaps: count },
  }))

test('merges runs that touch or overlap, and counts the swaps of a slot once', async (t) => {
  const db = await openDatabase(t)
  await addCoverage(db, KEY, { from: 10, to: 19 }, blocks({ 10: 1, 19: 2 }))
  await addCoverage(db, KEY, { from: 30, to: 39 }, blocks({ 30: 4 }))
  t.deepEqual(await listCoverage(db), [
    { ...KEY, from: 10, to: 19, swaps: 3 },
    { ...KEY, from: 30, to: 39, swaps: 4 },
  ])
  // The slots 19 and 30 are covered already.
  await addCoverage(db, KEY, { from: 19, to: 30 }, blocks({ 19: 2, 20: 8, 30: 4 }))
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 10, to: 39, swaps: 15 }])
  await addCoverage(db, KEY, { from: 40, to: 40 }, blocks({ 40: 16 }))
  await addCoverage(db, KEY, { from: 9, to: 9 }, [])
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 9, to: 40, swaps: 31 }])
})

test('counts a block that is read again with the swaps that were read last', async (t) => {
  const db = await openDatabase(t)
  await addCoverage(db, KEY, { from: 10, to: 19 }, blocks({ 10: 1, 15: 0, 19: 2 }))
  await addCoverage(db, KEY, { from: 12, to: 19 }, blocks({ 15: 5, 17: 1, 19: 1 }))
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 10, to: 19, swaps: 8 }])
  await addCoverage(db, KEY, { from: 10, to: 19 }, blocks({ 10: 1, 15: 5, 17: 1, 19: 1 }))
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 10, to: 19, swaps: 8 }])
})

test('leaves runs of other venues, decoders, sources and commitments apart', async (t) => {
  const db = await openDatabase(t)
  const keys = [
    KEY,
    { ...KEY, venues: 4 },
    { ...KEY, decoderVersion: 2 },
    { ...KEY, source: 'rpc' },
    { ...KEY, commitment: 'finalized' },
  ]
  for (const key of keys) await addCoverage(db, key, { from: 1, to: 5 }, blocks({ 1: 1 }))
  t.is((await listCoverage(db)).length, keys.length)
})

test('merges what several writers add at the same time', async (t) => {
  const db = await openDatabase(t)
  const slots = Array.from({ length: 40 }, (_, slot) => slot)
  await Promise.all(
    slots.map((slot) => addCoverage(db, KEY, { from: slot, to: slot }, blocks({ [slot]: slot }))),
  )
  const swaps = slots.reduce((sum, slot) => sum + slot, 0)
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 0, to: 39, swaps }])
})

test('records no slot before all of its events are acknowledged', async (t) => {
  const db = await openDatabase(t)
  const recorder = recorderOf(t, db)
  await recorder.flush()
  for (const each of [batch('7', 0), batch('8:2000', 3), batch('8', 2), batch('9', 1)]) {
    recorder.note(each)
  }
  await recorder.flush()
  t.deepEqual(await listCoverage(db), [])
  recorder.acknowledge('8:2000', 2)
  await recorder.flush()
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 7, to: 7, swaps: 0 }])
  recorder.acknowledge('8', 3)
  await recorder.flush()
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 7, to: 8, swaps: 5 }])
  recorder.acknowledge('9', 4)
  await recorder.flush()
  await recorder.flush()
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 7, to: 9, swaps: 6 }])
})

test('records the branch that is read last after the source went back', async (t) => {
  const db = await openDatabase(t)
  const recorder = recorderOf(t, db)
  // 8 is recorded, 9 is stored and 10 is not when all three turn out to be of another branch.
  for (const each of [batch('7', 1), batch('8', 2), batch('9', 4), batch('10', 8)]) {
    recorder.note(each)
  }
  recorder.acknowledge('8', 2)
  await recorder.flush()
  recorder.acknowledge('9', 3)
  for (const each of [fork(7), batch('8', 16, 'b'), batch('9', 32, 'b')]) recorder.note(each)
  recorder.acknowledge('10', 4)
  await recorder.flush()
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 7, to: 8, swaps: 3 }])
  recorder.acknowledge('9', 7)
  await recorder.flush()
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 7, to: 9, swaps: 51 }])
  await retract(db, 8, '8a')
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 7, to: 9, swaps: 49 }])
})

test('a slot before the first one of a run is not covered by its retraction', async (t) => {
  const db = await openDatabase(t)
  const recorder = recorderOf(t, db)
  for (const each of [fork(6), batch('7', 1, 'b'), batch('8', 2)]) recorder.note(each)
  recorder.acknowledge('8', 3)
  await recorder.flush()
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 7, to: 8, swaps: 3 }])
})

/** Writes what a pool lane does. */
async function retract(db: Db, slot: number, blockhash?: string): Promise<void> {
  await db.query('insert into retraction (slot, blockhash, lane) values ($1, $2, 0)', [
    slot,
    blockhash ?? '',
  ])
  await takeBack(db, slot, blockhash)
}

async function takeBack(db: Db, slot: number, blockhash?: string): Promise<void> {
  const connection = await db.connect()
  await connection.query('begin')
  await takeFromCoverage(connection, { slot, blockhash })
  await connection.query('commit')
  connection.release()
}

const SLOTS = { from: 1, to: 5 }
const RPC = { ...KEY, source: 'rpc' }

test('counts the block that replaces a retracted one, once', async (t) => {
  const db = await openDatabase(t)
  await addCoverage(db, KEY, SLOTS, blocks({ 1: 1, 2: 2, 3: 4 }))
  await retract(db, 2, '2a')
  await takeBack(db, 2, '2a')
  t.deepEqual(await listCoverage(db), [{ ...KEY, ...SLOTS, swaps: 5 }])
  for (const _ of ['read', 'read again']) {
    await addCoverage(db, KEY, { from: 2, to: 3 }, [...blocks({ 2: 8 }, 'b'), ...blocks({ 3: 4 })])
    t.deepEqual(await listCoverage(db), [{ ...KEY, ...SLOTS, swaps: 13 }])
  }
  await addCoverage(db, KEY, { from: 2, to: 2 }, blocks({ 2: 2 }))
  await retract(db, 3)
  t.deepEqual(await listCoverage(db), [{ ...KEY, ...SLOTS, swaps: 9 }])
})

test('counts a block of a slot that was skipped before the chain forked', async (t) => {
  const db = await openDatabase(t)
  await addCoverage(db, KEY, SLOTS, blocks({ 1: 1, 3: 2 }))
  await addCoverage(db, KEY, { from: 2, to: 3 }, blocks({ 2: 4, 3: 8 }, 'b'))
  await retract(db, 3, '3a')
  t.deepEqual(await listCoverage(db), [{ ...KEY, ...SLOTS, swaps: 13 }])
})

test('does not count a block that is recorded after its retraction', async (t) => {
  const db = await openDatabase(t)
  await retract(db, 2, '2a')
  await retract(db, 3)
  await addCoverage(db, KEY, SLOTS, blocks({ 1: 1, 2: 2, 3: 4 }))
  await addCoverage(db, KEY, SLOTS, blocks({ 2: 8, 3: 16 }, 'b'))
  t.deepEqual(await listCoverage(db), [{ ...KEY, ...SLOTS, swaps: 9 }])
})

test('subtracts a block from each range that counts it, and from no other', async (t) => {
  const db = await openDatabase(t)
  await addCoverage(db, KEY, SLOTS, blocks({ 2: 2 }))
  await addCoverage(db, RPC, SLOTS, blocks({ 2: 2, 4: 1 }))
  await addCoverage(db, RPC, { from: 8, to: 9 }, blocks({ 8: 4 }))
  await retract(db, 2, '2a')
  await addCoverage(db, RPC, SLOTS, blocks({ 2: 16 }, 'b'))
  t.deepEqual(await listCoverage(db), [
    { ...KEY, ...SLOTS, swaps: 0 },
    { ...RPC, ...SLOTS, swaps: 17 },
    { ...RPC, from: 8, to: 9, swaps: 4 },
  ])
})

test('lists the blocks of the newest slots only, and counts older ones once', async (t) => {
  const db = await openDatabase(t)
  const newest = 5_000_000
  await addCoverage(db, KEY, SLOTS, blocks({ 2: 2 }))
  await addCoverage(db, RPC, { from: newest, to: newest }, blocks({ [newest]: 1 }))
  await addCoverage(db, KEY, { from: 1, to: 7 }, blocks({ 2: 2, 7: 4 }))
  t.deepEqual(
    (await listCoverage(db)).map(({ swaps }) => swaps),
    [6, 1],
  )
  const { rows } = await db.query<{ slot: number }>('select slot from coverage_block')
  t.deepEqual(
    rows.map(({ slot }) => Number(slot)),
    [newest],
  )
})

test('records by itself soon after an acknowledgement', async (t) => {
  const db = await openDatabase(t)
  const recorder = recorderOf(t, db)
  recorder.note(batch('8', 1))
  recorder.acknowledge('8', 1)
  await until('slot 8 is recorded', 60_000, async () => (await listCoverage(db)).length === 1)
  recorder.note(batch('9', 1))
  recorder.acknowledge('9', 2)
  await until('slot 9 is recorded', 60_000, async () => (await listCoverage(db))[0]?.to === 9)
  t.pass()
})

test('records slots before and after a gap, and not those in it', async (t) => {
  const db = await openDatabase(t)
  const recorder = new CoverageRecorder(db, KEY, log, (error) => t.fail(String(error)))
  recorder.note(batch('10', 1))
  recorder.note(batch('11', 2))
  recorder.note({ ...fork(14), gap: { from: 12, to: 14 } })
  recorder.note(batch('15', 4))
  recorder.acknowledge('15', 4)
  await recorder.close()
  t.deepEqual(await listCoverage(db), [
    { ...KEY, from: 10, to: 11, swaps: 3 },
    { ...KEY, from: 15, to: 15, swaps: 4 },
  ])
})
