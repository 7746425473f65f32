/** The table of coverage: runs that touch are merged, swaps are counted once, and nothing is recorded too early. */
import test, { type ExecutionContext } from 'ava'
import { addCoverage, CoverageRecorder } from '../../../deploy/chain/coverage.ts'
import { listCoverage } from '../../../sql/coverage.ts'
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

const batch = (cursor: string, swaps: number): SourceBatch => ({
  ...{ cursor, events: Array.from({ length: swaps }, () => swapEvent()) },
  ...{ units: 1, newest: undefined, notices: [] },
})

test('merges runs that touch or overlap, and counts the swaps of a slot once', async (t) => {
  const db = await openDatabase(t)
  await addCoverage(
    db,
    KEY,
    { from: 10, to: 19 },
    new Map([
      [10, 1],
      [19, 2],
    ]),
  )
  await addCoverage(db, KEY, { from: 30, to: 39 }, new Map([[30, 4]]))
  t.deepEqual(await listCoverage(db), [
    { ...KEY, from: 10, to: 19, swaps: 3 },
    { ...KEY, from: 30, to: 39, swaps: 4 },
  ])
  // The slots 19 and 30 are covered already.
  const between = new Map([
    [19, 2],
    [20, 8],
    [30, 4],
  ])
  await addCoverage(db, KEY, { from: 19, to: 30 }, between)
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 10, to: 39, swaps: 15 }])
  await addCoverage(db, KEY, { from: 40, to: 40 }, new Map([[40, 16]]))
  await addCoverage(db, KEY, { from: 9, to: 9 }, new Map())
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 9, to: 40, swaps: 31 }])
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
  for (const key of keys) await addCoverage(db, key, { from: 1, to: 5 }, new Map([[1, 1]]))
  t.is((await listCoverage(db)).length, keys.length)
})

test('merges what several writers add at the same time', async (t) => {
  const db = await openDatabase(t)
  const slots = Array.from({ length: 40 }, (_, slot) => slot)
  await Promise.all(
    slots.map((slot) => addCoverage(db, KEY, { from: slot, to: slot }, new Map([[slot, slot]]))),
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
  recorder.acknowledge('8:2000')
  await recorder.flush()
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 7, to: 7, swaps: 0 }])
  recorder.acknowledge('8')
  await recorder.flush()
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 7, to: 8, swaps: 5 }])
  recorder.acknowledge('9')
  await recorder.flush()
  await recorder.flush()
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 7, to: 9, swaps: 6 }])
})

test('counts the slots of a fork once when the source goes back', async (t) => {
  const db = await openDatabase(t)
  const recorder = recorderOf(t, db)
  // 8 is recorded, 9 is not yet when both turn out to be of another branch.
  recorder.note(batch('8', 1))
  recorder.acknowledge('8')
  await recorder.flush()
  for (const each of [batch('9', 2), batch('7', 0), batch('8', 1), batch('9', 4), batch('10', 8)]) {
    recorder.note(each)
  }
  for (const cursor of ['9', '7', '8', '9']) recorder.acknowledge(cursor)
  await recorder.flush()
  t.deepEqual(await listCoverage(db), [{ ...KEY, from: 8, to: 9, swaps: 5 }])
})

test('records by itself soon after an acknowledgement', async (t) => {
  const db = await openDatabase(t)
  const recorder = recorderOf(t, db)
  recorder.note(batch('8', 1))
  recorder.acknowledge('8')
  await until('slot 8 is recorded', 60_000, async () => (await listCoverage(db)).length === 1)
  recorder.note(batch('9', 1))
  recorder.acknowledge('9')
  await until('slot 9 is recorded', 60_000, async () => (await listCoverage(db))[0]?.to === 9)
  t.pass()
})

test('records slots before and after a gap, and not those in it', async (t) => {
  const db = await openDatabase(t)
  const recorder = new CoverageRecorder(db, KEY, log, (error) => t.fail(String(error)))
  recorder.note(batch('10', 1))
  recorder.note(batch('11', 2))
  recorder.note({ ...batch('14', 0), gap: { from: 12, to: 14 } })
  recorder.note(batch('15', 4))
  recorder.acknowledge('15')
  await recorder.close()
  t.deepEqual(await listCoverage(db), [
    { ...KEY, from: 10, to: 11, swaps: 3 },
    { ...KEY, from: 15, to: 15, swaps: 4 },
  ])
})
