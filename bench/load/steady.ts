/**
 * CPU a swap at a steady 2,000 swaps/s through pool, ledger and ranking, unwatched: watching by SQL, REST and FEED takes
 * as much as the work itself. By times of processes, so that other programs on the machine change it little.
 *
 * The three actors in one process, and in a process each. The first seconds, in which V8 compiles, do not count.
 */
import { type ProgramCpu, startMeter } from '../measure/cpu.ts'
import type { Sample } from '../measure/sample.ts'
import { type BenchContext, type Measurement, STEADY, SWAPS_PER_SECOND } from '../measurement.ts'
import { order, startWorkerProgram, verifyRun } from '../publisher.ts'

const WARM_UP_SECONDS = 5
const RUN = 'bench'
const ACTORS = ['pool', 'ledger', 'ranking']

type Layout = { figure: string; goal?: string; processes: readonly (readonly string[])[] }

/** Without the publisher, which represents other machines. */
const figureOf = (layout: string): string => `CPU a swap at ${STEADY}, unwatched: ${layout}`
const LAYOUTS: readonly Layout[] = [
  { figure: figureOf('one worker process'), goal: '<= 200', processes: [ACTORS] },
  { figure: figureOf('a worker process each'), processes: ACTORS.map((actor) => [actor]) },
]

export const steady: Measurement = {
  name: 'steady',
  needsStack: true,
  figures: LAYOUTS.map(({ figure, goal }) => ({
    figure,
    unit: 'us',
    ...(goal ? { goal } : {}),
  })),
  async round(context) {
    const samples: Sample[] = []
    for (const { figure, processes } of LAYOUTS) {
      const cpu = await cpuOf(context, processes)
      const value = Object.values(cpu).reduce((sum, micros) => sum + micros, 0)
      samples.push({ figure, value, cpu })
    }
    return samples
  },
}

function cpuOf(context: BenchContext, processes: Layout['processes']): Promise<ProgramCpu> {
  const { stack, stages, seconds, workerFlags } = context
  return stages.use(async (stage) => {
    const publisher = await context.publisher()
    const workers = await Promise.all(
      processes.map((actors) => startWorkerProgram(stage, workerFlags, actors)),
    )
    const untilDone = (pool: number, derived: number) =>
      Promise.all(
        workers.map((worker, index) => {
          const all = { pool, ledger: derived, ranking: derived }
          const own = Object.entries(all).filter(([actor]) => processes[index]!.includes(actor))
          worker.send({ kind: 'expect', events: Object.fromEntries(own) })
          return worker.receive('done')
        }),
      )
    try {
      const load = { run: RUN, swapsPerSecond: SWAPS_PER_SECOND }
      const warm = SWAPS_PER_SECOND * WARM_UP_SECONDS
      const first = await order(publisher, stage, { ...load, swaps: warm })
      const before = await untilDone(first.events, first.swaps)
      const meter = startMeter({
        ...Object.fromEntries(
          processes.map((actors, index) => [actors.join(' + '), workers[index]!.pid]),
        ),
        PostgreSQL: stack.servers.postgres.pid,
        NATS: stack.servers.nats.pid,
      })
      const swaps = SWAPS_PER_SECOND * seconds
      const measured = await order(publisher, stage, { ...load, swaps, skip: first.events })
      const after = await untilDone(first.events + measured.events, first.swaps + measured.swaps)
      const cpu = meter.perSwap(measured.swaps)
      const commits = after.reduce(
        (sum, each, index) => sum + each.commits - before[index]!.commits,
        0,
      )
      context.say(`${(commits / seconds).toFixed(0)} commits/s`)
      await verifyRun(stage, RUN, first.swaps + measured.swaps)
      return cpu
    } finally {
      for (const worker of workers) await worker.stop()
    }
  })
}
