/**
 * Stored swaps before and after they are sealed, on one stage: bytes in PostgreSQL, look-ups by signature and pages of
 * wallets by REST, the rate of the pool actor at full speed by itself and while another part of its swaps is sealed, and the
 * CPU of a seal.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import { type SlotRange, sealSlots } from '../../history/sealing/seal.ts'
import { type Connection, onConnection } from '../../sql/db.ts'
import { marketEvents } from '../market/market.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, quantile, type Sample } from '../measure/sample.ts'
import type { BenchContext } from '../measurement.ts'
import type { Program } from '../programs/program.ts'
import type { WorkerMessage } from '../programs/worker-program.ts'
import { type MarketPublisher, order, startWorkerProgram } from '../publisher.ts'
import { lookUpAll } from '../reads/look-up.ts'
import { busyWallets, readPages } from '../reads/wallet-pages.ts'
import type { Stage } from '../stage.ts'
import {
  bytesIn,
  pageIn,
  RATE,
  SEAL,
  SEGMENTS,
  type Storage,
  signatureIn,
} from './sealed-figures.ts'

/** Segments that are sealed while swaps are stored. */
const EARLY_SEGMENTS = SEGMENTS / 4
const WAIT_MS = 100
const RUN = 'bench'
export async function measureSealed(context: BenchContext): Promise<Sample[]> {
  const publisher = await context.publisher()
  return context.stages.use(async (stage) => {
    const load = await LoadedPool.start(context, stage, publisher)
    try {
      return await measureOn(context, stage, load)
    } finally {
      await load.stop()
    }
  })
}

async function measureOn(context: BenchContext, stage: Stage, load: LoadedPool): Promise<Sample[]> {
  const reads = readsOf(context.swaps)
  await load.store(context.swaps / 2)
  const alone = await load.store(context.swaps / 4)
  await stage.db.query('vacuum analyze')
  const table = await readAll(context, stage, 'table', reads(load.stored))
  const tableBytes = (await sizeOf(stage, TABLE_SIZE)) / load.stored
  const runs = await runsOf(stage, SEGMENTS - EARLY_SEGMENTS)
  const [rate] = await Promise.all([
    load.store(Infinity),
    sealAll(stage, runs.slice(0, EARLY_SEGMENTS)),
  ])
  const sealing = await measureSeal(context, stage)
  await stage.db.query('vacuum analyze')
  const sealed = await readAll(context, stage, 'sealed', reads(load.stored))
  return [
    { figure: bytesIn('table'), value: tableBytes },
    ...table,
    { figure: RATE.table, value: alone },
    { figure: RATE.sealed, value: rate },
    ...sealing,
    ...sealed,
  ]
}

/** The pool actor and what it has stored. */
class LoadedPool {
  stored = 0
  private events = 0
  private readonly stage: Stage
  private readonly publisher: MarketPublisher
  private readonly worker: Program<WorkerMessage>

  static async start(
    { workerFlags }: BenchContext,
    stage: Stage,
    publisher: MarketPublisher,
  ): Promise<LoadedPool> {
    return new LoadedPool(stage, publisher, await startWorkerProgram(stage, workerFlags))
  }

  private constructor(stage: Stage, publisher: MarketPublisher, worker: Program<WorkerMessage>) {
    this.stage = stage
    this.publisher = publisher
    this.worker = worker
  }

  /** Stores the next swaps of the market, about so many; returns swaps a second. */
  async store(swaps: number): Promise<number> {
    const { stage, publisher, worker } = this
    const count = Math.min(Math.round(swaps), publisher.swaps - this.stored)
    const published = await order(publisher, stage, { run: RUN, skip: this.events, swaps: count })
    this.events += published.events
    this.stored += published.swaps
    worker.send({ kind: 'expect', events: { pool: this.events } })
    const { atMs } = await worker.receive('done', HOUR_MS)
    return (published.swaps * 1000) / (atMs - published.fromMs)
  }

  stop(): Promise<void> {
    return this.worker.stop()
  }
}

/** Runs of slots after those of segments, with about as many each. The last slot, which may be stored in part, is left out. */
async function runsOf(stage: Stage, runs: number): Promise<SlotRange[]> {
  const { rows } = await stage.db.query<{ low: number; high: number }>(
    `select min(slot)::bigint as low, max(slot)::bigint as high
     from (
       select slot, ntile($1) over (order by slot) as run
       from (
         select distinct slot from swap
         where slot > coalesce((select max(last_slot) from segment), -1) and slot < (select max(slot) from swap)
       ) as each
     ) as numbered
     group by run order by run`,
    [runs],
  )
  return rows
}

/** Returns how many swaps were sealed. */
function sealAll(stage: Stage, runs: readonly SlotRange[]): Promise<number> {
  return onConnection(stage.db, async (connection) => {
    let sealed = 0
    for (const run of runs) sealed += await sealRun(connection, run)
    return sealed
  })
}

async function sealRun(connection: Connection, run: SlotRange): Promise<number> {
  for (;;) {
    const sealing = await sealSlots(connection, run)
    if (sealing.outcome === 'sealed') return sealing.rows
    if (sealing.outcome !== 'waits') throw new Error(`nothing to seal in slots from ${run.low}`)
    await pause(WAIT_MS)
  }
}

/** Seals the rest, without other load. */
async function measureSeal({ stack }: BenchContext, stage: Stage): Promise<Sample[]> {
  const runs = await runsOf(stage, SEGMENTS - EARLY_SEGMENTS)
  const meter = startMeter({ process: 0, postgres: stack.servers.postgres.pid })
  const cpu = meter.perSwap(await sealAll(stage, runs))
  const { rows } = await stage.db.query<{ segments: number; swaps: number }>(
    'select count(*)::integer as segments, sum(row_count)::bigint as swaps from segment',
  )
  const [{ segments, swaps }] = rows as [{ segments: number; swaps: number }]
  expectEqual('segments', segments, SEGMENTS)
  return [
    { figure: SEAL.process, value: cpu.process! },
    { figure: SEAL.postgres, value: cpu.postgres! },
    { figure: bytesIn('sealed'), value: (await sizeOf(stage, SEALED_SIZE)) / swaps },
  ]
}

const TABLE_SIZE = `select hypertable_size('swap') + pg_total_relation_size('swap_signature') as bytes`
const SEALED_SIZE = `select pg_total_relation_size('swap_block') + pg_total_relation_size('swap_posting') as bytes`

async function sizeOf(stage: Stage, statement: string): Promise<number> {
  return Number((await stage.db.query<{ bytes: number }>(statement)).rows[0]!.bytes)
}

type Reads = { readonly signatures: readonly string[]; readonly wallets: readonly string[] }

/** Reads of the first swaps of the market: their signatures, and the wallets that have a page and more. */
function readsOf(swaps: number): (stored: number) => Reads {
  const all = marketEvents(swaps).filter((event) => event.kind === 'swap')
  return (stored) => {
    const own = all.slice(0, stored)
    return { signatures: own.map(({ swap }) => swap.signature), wallets: busyWallets(own) }
  }
}

async function readAll(
  context: BenchContext,
  stage: Stage,
  storage: Storage,
  { signatures, wallets }: Reads,
): Promise<Sample[]> {
  const { p99Ms } = await lookUpAll(context, stage, signatures)
  return [
    { figure: signatureIn(storage), value: p99Ms },
    { figure: pageIn(storage), value: quantile(await readPages(context, stage, wallets), 0.99) },
  ]
}
