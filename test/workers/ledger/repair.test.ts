/** Ways back to the exact ledger: a rebuild from the `swap` table, and a feed that was lost unread. */
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import { connect } from '../../../sql/db.ts'
import { encodeFeedBatch } from '../../../streams/codec/event-codec.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import { ensureTopology } from '../../../streams/nats/topology.ts'
import { ledgerActor } from '../../../workers/ledger/actor.ts'
import { rebuildLedger } from '../../../workers/rebuild/ledger.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { buy, sell } from '../../domain/ledger/histories.ts'
import { assertLedger, ledgerRows, untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import {
  feedEnd,
  openPipeline,
  type Pipeline,
  publishAll,
  readFeed,
  until,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const BOTH = ['pool', 'ledger']

test.serial('a rebuild alongside live workers makes the rows that the workers made', async (t) => {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline, { actors: BOTH })
  const events = smallMarket(400, 2_000).toReversed()
  await publishAll(pipeline, events.slice(0, 1_500), { eventsMax: 10 })
  await untilLedgerCaughtUp(pipeline)
  const made = await ledgerRows(pipeline.db)
  const { laneCount, recording } = pipeline
  const report = await rebuildLedger(pipeline.db, { laneCount, log: recording.log })
  t.deepEqual(await ledgerRows(pipeline.db), made)
  t.is(report.positions, (made.position ?? []).length)
  await publishAll(pipeline, events.slice(1_500), { eventsMax: 10 })
  await untilLedgerCaughtUp(pipeline)
  await assertLedger(t, pipeline)
  t.is(worker.failure(), undefined)
})

test.serial('a rebuild while swaps flow ends in the rows of the model', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: BOTH })
  const publishing = publishAll(pipeline, smallMarket(401, 3_000), { eventsMax: 5 })
  const { laneCount, recording } = pipeline
  await rebuildLedger(pipeline.db, { laneCount, log: recording.log })
  await rebuildLedger(pipeline.db, { laneCount, log: recording.log })
  await publishing
  await untilLedgerCaughtUp(pipeline)
  await assertLedger(t, pipeline)
})

test.serial('a rebuild that lost its lanes commits no more changes', async (t) => {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline, { actors: BOTH })
  await publishAll(pipeline, smallMarket(407, 300))
  await untilLedgerCaughtUp(pipeline)
  await worker.stop()
  const { db, laneCount, recording } = pipeline
  await db.query('update position set basis = basis + 1')
  const broken = await ledgerRows(db)
  // The worker owns its lanes, and waits for the pools' addresses, while another takes them over.
  const other = await db.connect()
  await other.query('begin')
  await other.query('lock table pool in access exclusive mode')
  const rebuilding = rebuildLedger(db, { laneCount, log: recording.log })
  const taken = `select from checkpoint where actor = 'ledger' and owner like 'rebuild-%'`
  await until('the rebuild has its lanes', 60_000, async () => {
    return (await db.query(taken)).rowCount === laneCount
  })
  await other.query(
    `update checkpoint set owner = 'another', epoch = epoch + 1 where actor = 'ledger'`,
  )
  await other.query('commit')
  other.release()
  await t.throwsAsync(rebuilding, {
    message: 'the rebuild lost the lanes of the ledger to another owner',
  })
  t.deepEqual(await ledgerRows(db), broken)
})

test.serial(
  'verify finds a lost position, a changed one, a wrong hour and a lost lot',
  async (t) => {
    const pipeline = await openPipeline(t)
    await runWorker(t, pipeline, { actors: BOTH })
    await publishAll(pipeline, smallMarket(402, 500))
    await untilLedgerCaughtUp(pipeline)
    const { db, laneCount, recording } = pipeline
    await db.query(
      'update position set basis = basis + 1 where ctid = (select min(ctid) from position)',
    )
    await db.query('delete from position where ctid = (select max(ctid) from position)')
    await db.query(
      'update position_hour set win_count = 7 where wallet_id = (select min(wallet_id) from position_hour)',
    )
    const broken = await verify(db, { log: recording.log })
    const differing = broken.tables.filter((table) => !table.equal).map((table) => table.name)
    t.deepEqual(differing, ['position', 'position_hour'])
    await rebuildLedger(db, { laneCount, log: recording.log })
    await assertLedger(t, pipeline)
  },
)

test.serial(
  'a lane that may have missed messages begins an audit, unless no swap is stored',
  async (t) => {
    const pipeline = await openPipeline(t)
    const { db, jetStream, topology, recording } = pipeline
    const audits = async () => (await db.query('select from ledger_audit')).rowCount
    const noteGap = () =>
      ledgerActor.noteGap?.({ db, jetStream, lane: 0, topology, log: recording.log })
    await noteGap()
    t.is(await audits(), 0)
    await runWorker(t, pipeline)
    await publishAll(pipeline, smallMarket(406, 10))
    await untilCaughtUp(pipeline)
    await noteGap()
    t.is(await audits(), 1)
  },
)

test.serial('loses no swap of a FEED that was recreated before the ledger read it', async (t) => {
  const pipeline = await openPipeline(t)
  const { db, jetStream, topology, prefix, laneCount } = pipeline
  const ledger = await runWorker(t, pipeline, { actors: ['ledger'] })
  const pools = await runWorker(t, pipeline)
  const events = smallMarket(403, 1_500)
  await publishAll(pipeline, events.slice(0, 600), { eventsMax: 20 })
  await untilLedgerCaughtUp(pipeline)
  await ledger.stop()
  await publishAll(pipeline, events.slice(600, 1_000), { eventsMax: 20 })
  await untilCaughtUp(pipeline)
  await pools.stop()
  await jetStream.manager.streams.delete(topology.feed.stream)
  Object.assign(topology, await ensureTopology(jetStream, { prefix, laneCount }))
  await runWorker(t, pipeline, { actors: BOTH })
  await publishAll(pipeline, events.slice(1_000), { eventsMax: 20 })
  await untilLedgerCaughtUp(pipeline)
  await assertLedger(t, pipeline)
  const audits = await db.query('select from ledger_audit')
  t.is(audits.rowCount, 0)
})

test.serial(
  'finishes the work of lanes after the streams return with another number of lanes',
  async (t) => {
    const pipeline = await openPipeline(t)
    const { db, jetStream, topology, prefix, laneCount } = pipeline
    const worker = await runWorker(t, pipeline, { actors: BOTH })
    await publishAll(pipeline, smallMarket(408, 300), { eventsMax: 20 })
    await untilLedgerCaughtUp(pipeline)
    await worker.stop()
    // State left by twice as many lanes: some have other wallets now, some are no more.
    await db.query(
      'insert into position_refold select wallet_id, token_id, token_id % 8, 0 from position',
    )
    await db.query('insert into ledger_audit (lane) values (1), (6)')
    await jetStream.manager.streams.delete(topology.feed.stream)
    Object.assign(topology, await ensureTopology(jetStream, { prefix, laneCount }))
    await runWorker(t, pipeline, { actors: BOTH })
    await untilLedgerCaughtUp(pipeline)
    await assertLedger(t, pipeline)
  },
)

test.serial('loses no swap when FEED trimmed messages that the ledger had not read', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, topology } = pipeline
  const ledger = await runWorker(t, pipeline, { actors: ['ledger'] })
  await runWorker(t, pipeline)
  const events = smallMarket(404, 1_500)
  await publishAll(pipeline, events.slice(0, 600), { eventsMax: 20 })
  await untilLedgerCaughtUp(pipeline)
  await ledger.stop()
  await publishAll(pipeline, events.slice(600, 1_200), { eventsMax: 20 })
  await untilCaughtUp(pipeline)
  const { state } = await jetStream.manager.streams.info(topology.feed.stream)
  await jetStream.manager.streams.purge(topology.feed.stream, { seq: state.last_seq })
  await runWorker(t, pipeline, { actors: ['ledger'] })
  await publishAll(pipeline, events.slice(1_200), { eventsMax: 20 })
  await untilLedgerCaughtUp(pipeline)
  await assertLedger(t, pipeline)
})

const publisherOf = (pipeline: Pipeline) => (swaps: readonly Swap[]) =>
  publishAll(
    pipeline,
    swaps.map((swap) => ({ kind: 'swap' as const, swap })),
  )

/** One wallet, one mint: two buys and a small sell in turn, until large sells consume all of it. */
function longHistory(count: number): Swap[] {
  return Array.from({ length: count }, (_, n) => {
    const lamports = 1_000_000 + ((n * 7_919) % 500_000)
    if (n % 3 !== 2) return buy(n + 1, 1_000, lamports)
    return sell(n + 1, n > count - 4_000 ? 9_000 : 650, lamports)
  })
}

test.serial('applies near and far late swaps to a position with 24,000 swaps', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: BOTH })
  const swaps = longHistory(24_000)
  const late = [17, 9_001, 23_100, 23_950]
  const inTime = swaps.filter((_, index) => !late.includes(index))
  const publish = publisherOf(pipeline)
  await publish(inTime)
  await untilLedgerCaughtUp(pipeline, 60_000)
  for (const index of late.toReversed()) {
    await publish([swaps[index]!])
    await untilLedgerCaughtUp(pipeline, 60_000)
    const report = await verify(pipeline.db, { log: pipeline.recording.log })
    t.deepEqual(
      report.tables.flatMap((table) => table.differences.map((text) => text.slice(0, 300))),
      [],
    )
  }
  const made = await ledgerRows(pipeline.db)
  const { laneCount, recording } = pipeline
  await rebuildLedger(pipeline.db, { laneCount, log: recording.log })
  t.deepEqual(await ledgerRows(pipeline.db), made)
  t.is(made.position_snapshot?.length, 4)
  await pipeline.db.query('update position_snapshot set slot = slot - 1 where swap_count = 23000')
  const broken = await verify(pipeline.db, { log: recording.log })
  const differing = broken.tables.filter((table) => !table.equal).map((table) => table.name)
  t.deepEqual(differing, ['position_snapshot'])
})

test.serial(
  'loses neither of two late swaps when the ledger receives the younger one first',
  async (t) => {
    const pipeline = await openPipeline(t)
    const swaps = longHistory(2_500)
    // After the newest snapshot, and before it: both are committed when the first is folded in.
    const late = [2_300, 1_500]
    const pools = await runWorker(t, pipeline)
    const ledger = await runWorker(t, pipeline, { actors: ['ledger'] })
    const publish = publisherOf(pipeline)
    await publish(swaps.filter((_, index) => !late.includes(index)))
    await untilLedgerCaughtUp(pipeline)
    await ledger.stop()
    const from = await feedEnd(pipeline)
    for (const index of late) {
      await publish([swaps[index]!])
      await untilCaughtUp(pipeline)
    }
    await pools.stop()
    const reported = (await readFeed(pipeline)).filter(({ sequence }) => sequence > from)
    t.is(reported.length, 2)
    const { jetStream, topology, laneCount, recording } = pipeline
    const lane = laneOf(swaps[0]!.user, laneCount)
    const db = connect(pipeline.databaseUrl, { max: 4, isPipelined: true })
    t.teardown(() => db.end())
    const context = { db, jetStream, topology, lane, log: recording.log }
    const memory = ledgerActor.openLane(context)
    const connection = await db.connect()
    for (const { subject, sequence, mark, events } of reported) {
      const payload = encodeFeedBatch(mark, events)
      const batch = await memory.fold([
        { subject, sequence, payload, header: () => undefined, storedMs: () => 0 },
      ])
      await connection.query('begin')
      await batch.write(connection)
      await connection.query('commit')
    }
    connection.release()
    const report = await verify(pipeline.db, { log: recording.log })
    t.deepEqual(
      report.tables.flatMap((table) => table.differences.map((text) => text.slice(0, 300))),
      [],
    )
    const { rows } = await db.query('select swap_count from position')
    t.deepEqual(rows, [{ swap_count: 2_500 }])
  },
)

test.serial(
  'applies a sell of sealed lots before the recompute of a very late swap has ended',
  async (t) => {
    const pipeline = await openPipeline(t)
    const pools = await runWorker(t, pipeline)
    const ledger = await runWorker(t, pipeline, { actors: ['ledger'] })
    const publish = publisherOf(pipeline)
    // Farther back than is recomputed at once, and before the oldest snapshot.
    const swaps = Array.from({ length: 7_000 }, (_, n) => buy(n + 1, 1_000, 1_000_000))
    await publish(swaps.filter((_, index) => index !== 17))
    await untilLedgerCaughtUp(pipeline, 60_000)
    await ledger.stop()
    // In one batch for the ledger; the sell consumes beyond the first chunk of 128 lots.
    await publish([swaps[17]!, sell(7_001, 1_000_000, 2_000_000_000)])
    await untilCaughtUp(pipeline)
    await pools.stop()
    await runWorker(t, pipeline, { actors: BOTH })
    await untilLedgerCaughtUp(pipeline, 60_000)
    const report = await verify(pipeline.db, { log: pipeline.recording.log })
    t.deepEqual(
      report.tables.flatMap((table) => table.differences.map((text) => text.slice(0, 300))),
      [],
    )
    const { rows } = await pipeline.db.query('select swap_count, balance from position')
    t.deepEqual(rows, [{ swap_count: 7_001, balance: '6000000' }])
  },
)
