/**
 * A history that grows to so many swaps, part by part: each is ingested by pool and ledger, and then the older half of what is in the table is sealed.
 * It must show that neither a rate nor a read depends on how much is stored. All of it lies in one folder, where a run continues
 * the one that was ended; at its end signatures and pages of wallets are read, and one day is verified.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { listLanes } from '../../deploy/operations/lanes.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { sealOld } from '../../history/sealing/sealer.ts'
import { isEqual, verifyDays } from '../../workers/verify/days/verify-days.ts'
import { signaturesOfLaps } from '../market/lap.ts'
import { marketEvents } from '../market/market.ts'
import { startMeter } from '../measure/cpu.ts'
import {
  expectEqual,
  quantile,
  type Sample,
  sharedClockMs,
  WrongResult,
} from '../measure/sample.ts'
import type { BenchContext } from '../measurement.ts'
import type { Program } from '../programs/program.ts'
import type { WorkerMessage } from '../programs/worker-program.ts'
import { type MarketPublisher, order, startWorkerProgram } from '../publisher.ts'
import { lookUpAll } from '../reads/look-up.ts'
import { busyWallets, readPages } from '../reads/wallet-pages.ts'
import type { Stage } from '../stage.ts'
import { FIGURES } from './figures.ts'
import { type GrowthPart, GrowthParts } from './parts.ts'

const ACTORS = ['pool', 'ledger']
const RUN = 'growth'
const POLL_MS = 1_000
/** Reads without a lag, one after the other: between a commit and its publication no lane has any. */
const STILL_POLLS = 3

type Context = Omit<BenchContext, 'stages'>
type Grown = { parts: readonly GrowthPart[]; samples: readonly Sample[] }

/** Continues until `wanted` swaps are stored. Rejects where a swap is missing or a day is not as its swaps make it. */
export async function grow(context: Context, stage: Stage, wanted: number): Promise<Grown> {
  const parts = await GrowthParts.open(stage.db)
  const publisher = await context.publisher()
  let worker: Program<WorkerMessage> | undefined
  const expected = { pool: 0, ledger: 0 }
  try {
    while (swapsOf(await parts.list()) < wanted) {
      const { part, isWhole } = await parts.begin()
      if (worker === undefined) {
        worker = await startWorkerProgram(stage, context.workerFlags, ACTORS)
        Object.assign(expected, { pool: 0, ledger: 0 })
      }
      const rate = isWhole
        ? await ingest(stage, { publisher, worker, expected }, part)
        : await ingestAgain(stage, publisher, part)
      if (!isWhole) {
        await worker.stop()
        worker = undefined
      }
      const sealMicros = await sealOlder(context, stage)
      const measured = { part, swaps: publisher.swaps, swaps_per_second: rate }
      const end = { ...measured, seal_micros: sealMicros, ...(await sizeOf(stage)) }
      await parts.end(end)
      context.say(lineOf(end))
    }
  } finally {
    await worker?.stop()
  }
  const all = await parts.list()
  return { parts: all, samples: await measure(context, stage, all) }
}

const swapsOf = (parts: readonly GrowthPart[]): number =>
  parts.reduce((sum, { swaps }) => sum + swaps, 0)

type Load = {
  publisher: MarketPublisher
  worker: Program<WorkerMessage>
  /** Events that the worker is to commit since its start. */
  expected: { pool: number; ledger: number }
}

/** Swaps a second until all are committed. */
async function ingest(stage: Stage, load: Load, part: number): Promise<number> {
  const { publisher, worker, expected } = load
  const published = await order(publisher, stage, { run: RUN, lap: part })
  expected.pool += published.events
  expected.ledger += published.swaps
  const done = worker.receive('done', HOUR_MS)
  worker.send({ kind: 'expect', events: expected })
  const { atMs } = await done
  return (published.swaps * 1_000) / (atMs - published.fromMs)
}

/** Some of it is stored: no rate. */
async function ingestAgain(stage: Stage, publisher: MarketPublisher, part: number): Promise<null> {
  await order(publisher, stage, { run: RUN, lap: part })
  for (let still = 0; still < STILL_POLLS; await pause(POLL_MS)) {
    const lanes = await listLanes(stage.db, stage.jetStream, stage.topology)
    const isStill = lanes.every(({ actor, lag }) => !ACTORS.includes(actor) || lag === 0)
    still = isStill ? still + 1 : 0
  }
  return null
}

/** Seals the older half of the slots in the table. Microseconds of CPU a swap, null where nothing was sealed. */
async function sealOlder({ stack }: Context, { db }: Stage): Promise<number | null> {
  const { rows } = await db.query<{ slot: number | null }>(
    `select percentile_disc(0.5) within group (order by slot) as slot
     from (select distinct slot from swap) as hot`,
  )
  const toSlot = rows[0]?.slot ?? 0
  const meter = startMeter({ process: 0, PostgreSQL: stack.servers.postgres.pid })
  let sealed = 0
  const all = { beforeMs: undefined, toSlot, partsOfChunks: true }
  const { waits } = await sealOld(db, all, new AbortController().signal, (run) => {
    sealed += run.rows
  })
  if (waits !== undefined)
    throw new WrongResult(`nothing to wait for, but a seal waits: ${waits.reason}`)
  if (sealed === 0) return null
  return Object.values(meter.perSwap(sealed)).reduce((sum, micros) => sum + micros, 0)
}

async function sizeOf({ db }: Stage): Promise<{ sealed: number; bytes: number }> {
  const { rows } = await db.query<{ sealed: number; bytes: number }>(
    `select (select coalesce(sum(row_count), 0)::bigint from segment) as sealed,
      pg_database_size(current_database()) as bytes`,
  )
  return rows[0]!
}

async function measure(
  context: Context,
  stage: Stage,
  parts: readonly GrowthPart[],
): Promise<Sample[]> {
  const stored = swapsOf(parts)
  const { rows } = await stage.db.query<{ swaps: number }>(
    `select (select count(*) from swap) + (select coalesce(sum(row_count), 0)::bigint from segment) as swaps`,
  )
  expectEqual('swaps in the table and in segments', Number(rows[0]!.swaps), stored)
  await stage.db.query('vacuum analyze')
  const market = marketEvents(context.swaps)
  const { p99Ms } = await lookUpAll(context, stage, signaturesOfLaps(market, parts.length))
  const pages = await readPages(context, stage, busyWallets(market))
  const { bytes } = await sizeOf(stage)
  const rates = parts.flatMap(({ swaps_per_second }) => swaps_per_second ?? [])
  const seals = parts.flatMap(({ seal_micros }) => seal_micros ?? [])
  return [
    { figure: FIGURES.bytes, value: bytes / stored },
    { figure: FIGURES.disk, value: bytes / 2 ** 30 },
    { figure: FIGURES.rate, value: rates.at(-1)! },
    { figure: FIGURES.rates, value: rates.at(-1)! / rates[0]! },
    { figure: FIGURES.seal, value: quantile(seals, 0.5) },
    { figure: FIGURES.signature, value: p99Ms },
    { figure: FIGURES.page, value: quantile(pages, 0.99) },
    { figure: FIGURES.day, value: await verifySecondDay(stage) },
  ]
}

/** Minutes of the second day, which is whole where the history reaches the third; of the first where it does not reach that. */
async function verifySecondDay({ db }: Stage): Promise<number> {
  const { rows } = await db.query<{ from_ms: number; to_ms: number }>(
    'select min(first_ms) as from_ms, max(last_ms) as to_ms from slot_span',
  )
  const first = Math.floor(Number(rows[0]!.from_ms) / DAY_MS) * DAY_MS
  const day = first + DAY_MS <= Number(rows[0]!.to_ms) ? first + DAY_MS : first
  const fromMs = sharedClockMs()
  const results = await verifyDays(db, {
    ...{ fromMs: day, toMs: day + DAY_MS - 1, version: 'bench', now: Date.now },
    ...{ store: undefined, signal: new AbortController().signal, onDay: () => {} },
  })
  if (!results.every(isEqual)) throw new WrongResult('a day is not as its swaps make it')
  return (sharedClockMs() - fromMs) / MINUTE_MS
}

function lineOf({ part, swaps_per_second: rate, seal_micros: micros, sealed, bytes }: GrowthPart) {
  const grouped = (value: number | null) =>
    value === null ? 'unknown' : Math.round(value).toLocaleString('en-US')
  return `part ${part}: ${grouped(rate)} swaps/s, seal ${micros?.toFixed(1) ?? 'none'} us a swap, ${grouped(sealed)} sealed, ${(bytes / 2 ** 30).toFixed(2)} GiB`
}
