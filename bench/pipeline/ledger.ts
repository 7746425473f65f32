/**
 * The ledger by itself: FEED as the pool lanes wrote it, complete, read by a worker that runs only the ledger; the same
 * with one wallet that has half of all swaps in one token; and the rebuild of the resulting tables from the `swap`
 * table. Every position's swaps are counted after each.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { rebuildLedger } from '../../workers/rebuild/ledger.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, type Sample, sharedClockMs, WrongResult } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import { programLog } from '../programs/program.ts'
import { order, startWorkerProgram } from '../publisher.ts'
import type { FilledStage, Stage } from '../stage.ts'

const ALONE = 'ledger only: FEED -> positions, lots, hours'
const HEAVY = 'ledger only, one wallet with half of all swaps in one token'
const RATIO = 'with such a wallet / without'
const REBUILD = 'rebuild ledger'

const RECOMPUTE_BOUND_MS = 120_000
const POLL_MS = 20

/** Filled with the first round; each round reads a copy. */
let filled: { plain: FilledStage; heavy: FilledStage } | undefined

export const ledger: Measurement = {
  name: 'ledger',
  figures: [
    { figure: ALONE, unit: 'swaps/s', goal: '>= 40,000' },
    { figure: HEAVY, unit: 'swaps/s' },
    { figure: RATIO, unit: '', goal: '>= 0.9', digits: 2 },
    { figure: REBUILD, unit: 'swaps/s', goal: '>= 100,000' },
  ],
  async round(context) {
    filled ??= { plain: await fillFeed(context, false), heavy: await fillFeed(context, true) }
    const [alone, rebuild] = await run(context, filled.plain, [followFeed, rebuildAll])
    const [heavy] = await run(context, filled.heavy, [followFeed])
    return [
      { figure: ALONE, ...alone! },
      { figure: HEAVY, ...heavy! },
      { figure: RATIO, value: heavy!.value / alone!.value },
      { figure: REBUILD, ...rebuild! },
    ]
  },
}

/** The market through the pool lanes: swaps stored, FEED written, its consumers not started. */
async function fillFeed(context: BenchContext, isHeavy: boolean): Promise<FilledStage> {
  const publisher = await context.publisher()
  return context.stages.fill(async (stage) => {
    const worker = await startWorkerProgram(stage, [])
    try {
      worker.send({ kind: 'expect', events: { pool: publisher.events } })
      const done = worker.receive('done')
      await Promise.all([order(publisher, stage, { run: 'bench', isHeavy }), done])
    } finally {
      await worker.stop()
    }
  })
}

type Measured = Omit<Sample, 'figure'>

/** Does the works one after the other on a copy of a stage; each leaves every swap in its position. */
function run(
  context: BenchContext,
  filled: FilledStage,
  works: readonly ((context: BenchContext, stage: Stage) => Promise<Measured>)[],
): Promise<Measured[]> {
  return context.stages.use(
    async (stage) => {
      const measured: Measured[] = []
      for (const work of works) {
        measured.push(await work(context, stage))
        await verifyLedger(stage, context.swaps)
      }
      return measured
    },
    { filled },
  )
}

async function followFeed(context: BenchContext, stage: Stage): Promise<Measured> {
  const { stack, swaps, workerFlags } = context
  const meterOf = (pid: number) =>
    startMeter({
      worker: pid,
      PostgreSQL: stack.servers.postgres.pid,
      NATS: stack.servers.nats.pid,
    })
  const worker = await startWorkerProgram(stage, workerFlags, ['ledger'])
  try {
    const meter = meterOf(worker.pid)
    worker.send({ kind: 'expect', events: { ledger: swaps } })
    const { atMs, firstMs, commits, rssBytes } = await worker.receive('done')
    const foldedMs = await untilNoneWaits(stage, atMs)
    const cpu = meter.perSwap(swaps)
    const later = Math.round(foldedMs - atMs)
    context.say(
      `ledger: ${commits} commits, ${mib(rssBytes)} MiB, all recomputes done ${later} ms later`,
    )
    return { value: (swaps * 1000) / (foldedMs - firstMs), cpu }
  } finally {
    await worker.stop()
  }
}

/** When no position waited for a recompute: with the last commit, or when the background was done. */
export async function untilNoneWaits({ db }: Stage, committedMs: number): Promise<number> {
  let isLater = false
  for (const boundMs = committedMs + RECOMPUTE_BOUND_MS; ; isLater = true) {
    const { rowCount } = await db.query('select from position_refold')
    if (rowCount === 0) return isLater ? sharedClockMs() : committedMs
    if (sharedClockMs() > boundMs) throw new WrongResult(`${rowCount} positions still wait`)
    await pause(POLL_MS)
  }
}

const mib = (bytes: number): number => Math.round(bytes / 2 ** 20)

async function rebuildAll(
  { stack, swaps }: BenchContext,
  { db, topology }: Stage,
): Promise<Measured> {
  const { laneCount } = topology
  const meter = startMeter({ rebuild: 0, PostgreSQL: stack.servers.postgres.pid })
  const fromMs = sharedClockMs()
  const report = await rebuildLedger(db, { laneCount, log: programLog })
  const seconds = (sharedClockMs() - fromMs) / 1000
  expectEqual('swaps rebuilt', report.swaps, swaps)
  return { value: swaps / seconds, cpu: meter.perSwap(swaps) }
}

/** Verifies that every swap is in a position, and none waits for a recompute. */
export async function verifyLedger({ db }: Stage, swaps: number): Promise<void> {
  const { rows } = await db.query<{ swaps: number; waiting: number }>(
    `select (select coalesce(sum(swap_count), 0)::bigint from position) as swaps,
      (select count(*) from position_refold) as waiting`,
  )
  expectEqual('swaps in positions', rows[0]?.swaps ?? 0, swaps)
  expectEqual('positions to recompute', rows[0]?.waiting ?? 0, 0)
}
