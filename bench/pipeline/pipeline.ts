/**
 * The whole way of a swap, flat out: publisher -> SWAP -> pool lanes -> tables and indexes -> FEED, and then the same
 * with the ledger and the ranking after it, from the first publish to the last commit and the ack of the last
 * publication; every swap is counted in the tables and in FEED. As the processes that `up` starts.
 */

import { type ProgramCpu, startMeter } from '../measure/cpu.ts'
import { type Sample, WrongResult } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import { order, startWorkerProgram, verifyRun } from '../publisher.ts'
import type { Stage } from '../stage.ts'
import { COPY_FIGURES, copyFigure } from './copy.ts'
import { verifyLedger } from './ledger.ts'

const PIPELINE = 'pipeline: SWAP -> pool -> FEED'
const WITH_LEDGER = 'pipeline with the ledger, a worker process each'
const WHOLE = 'pipeline with ledger and ranking, a worker process each'
const RATIO_TO_FASTEST = 'pipeline / raw binary COPY, the fastest of these'
const RUN = 'bench'
/** So much of the market goes first, unmeasured: a worker's first second is the compiler's. */
const WARM_UP_SHARE = 0.25

const PROCESS_EACH = ['pool', 'ledger', 'ranking'].map((name) => ({ name, actors: [name] }))
const LANES = [1, 2, 4]
const lanesFigure = (lanes: number): string =>
  `${WHOLE}, ${lanes} lane${lanes === 1 ? '' : 's'} of pools and wallets`

const ratioToOne = (of: string): string => `${of} / ${copyFigure(1)}`
const RATIO_TO_ONE = ratioToOne('pipeline')
const LEDGER_RATIO_TO_ONE = ratioToOne('pipeline with the ledger')
const WHOLE_RATIO_TO_ONE = ratioToOne('pipeline with ledger and ranking')

export const pipeline: Measurement = {
  name: 'pipeline',
  needsStack: true,
  figures: [
    { figure: PIPELINE, unit: 'swaps/s', goal: '>= 30,000; CPU <= 60' },
    { figure: RATIO_TO_ONE, unit: '', goal: '>= 0.40', digits: 2 },
    { figure: RATIO_TO_FASTEST, unit: '', digits: 2 },
  ],
  async round(context) {
    const { value, cpu } = await runPipeline(context, [{ name: 'worker', actors: ['pool'] }])
    return [
      { figure: PIPELINE, value, cpu },
      ...ratioTo(RATIO_TO_ONE, value, context.round.get(copyFigure(1))),
      ...ratioTo(RATIO_TO_FASTEST, value, fastestCopy(context)),
    ]
  },
}

export const pipelineWithLedger: Measurement = {
  name: 'pipeline-ledger',
  needsStack: true,
  figures: [
    { figure: WITH_LEDGER, unit: 'swaps/s', goal: '>= 25,000' },
    { figure: LEDGER_RATIO_TO_ONE, unit: '', goal: '>= 0.33', digits: 2 },
  ],
  async round(context) {
    const { value, cpu } = await runPipeline(context, [
      { name: 'pool', actors: ['pool'] },
      { name: 'ledger', actors: ['ledger'] },
    ])
    return [
      { figure: WITH_LEDGER, value, cpu },
      ...ratioTo(LEDGER_RATIO_TO_ONE, value, context.round.get(copyFigure(1))),
    ]
  },
}

export const wholePipeline: Measurement = {
  name: 'pipeline-whole',
  needsStack: true,
  figures: [
    { figure: WHOLE, unit: 'swaps/s', goal: '>= 25,000; CPU <= 80' },
    { figure: WHOLE_RATIO_TO_ONE, unit: '', goal: '>= 0.30', digits: 2 },
  ],
  async round(context) {
    const { value, cpu } = await runPipeline(context, PROCESS_EACH)
    return [
      { figure: WHOLE, value, cpu },
      ...ratioTo(WHOLE_RATIO_TO_ONE, value, context.round.get(copyFigure(1))),
    ]
  },
}

export const lanesOfPipeline: Measurement = {
  name: 'lanes',
  needsStack: true,
  figures: LANES.map((lanes) => ({ figure: lanesFigure(lanes), unit: 'swaps/s' })),
  async round(context) {
    const samples: Sample[] = []
    for (const lanes of LANES) {
      const { value, cpu } = await runPipeline(context, PROCESS_EACH, lanes)
      samples.push({ figure: lanesFigure(lanes), value, cpu })
    }
    return samples
  },
}

type Measured = { value: number; cpu: ProgramCpu }
type Process = { name: string; actors: readonly string[] }

export function runPipeline(
  context: BenchContext,
  processes: readonly Process[],
  laneCount?: number,
): Promise<Measured> {
  const { stack, stages, swaps, workerFlags } = context
  const play = async (stage: Stage): Promise<Measured> => {
    const publisher = await context.publisher()
    const hasLedger = processes.some(({ actors }) => actors.includes('ledger'))
    const workers = await Promise.all(
      processes.map(({ actors }) => startWorkerProgram(stage, workerFlags, actors)),
    )
    try {
      const untilDone = (pool: number, derived: number) => {
        const events = { pool, ledger: derived, ranking: derived }
        return Promise.all(
          workers.map((worker, index) => {
            const { actors } = processes[index]!
            const own = Object.entries(events).filter(([actor]) => actors.includes(actor))
            worker.send({ kind: 'expect', events: Object.fromEntries(own) })
            return worker.receive('done')
          }),
        )
      }
      const warmUp = Math.round(swaps * WARM_UP_SHARE)
      const first = await order(publisher, stage, { run: RUN, swaps: warmUp })
      await untilDone(first.events, first.swaps)
      const measured = swaps - first.swaps
      const meter = startMeter({
        ...Object.fromEntries(processes.map(({ name }, index) => [name, workers[index]!.pid])),
        publisher: publisher.program.pid,
        PostgreSQL: stack.servers.postgres.pid,
        NATS: stack.servers.nats.pid,
      })
      const [published, ended] = await Promise.all([
        order(publisher, stage, { run: RUN, skip: first.events }),
        untilDone(publisher.events, swaps),
      ])
      const cpu = meter.perSwap(measured)
      if (published.swaps !== measured) throw new WrongResult(`published ${published.swaps} swaps`)
      await verifyRun(stage, RUN, swaps)
      if (hasLedger) await verifyLedger(stage, swaps)
      const seconds = (atMs: number): string => ((atMs - published.fromMs) / 1000).toFixed(1)
      context.say(`published in ${seconds(published.toMs)} s`)
      for (const [index, { atMs, commits, rssBytes }] of ended.entries()) {
        const mib = Math.round(rssBytes / 2 ** 20)
        context.say(
          `${processes[index]!.name} done in ${seconds(atMs)} s by ${commits} commits, ${mib} MiB`,
        )
      }
      const lastMs = Math.max(...ended.map(({ atMs }) => atMs))
      return { value: (measured * 1000) / (lastMs - published.fromMs), cpu }
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()))
    }
  }
  return stages.use(play, { laneCount })
}

/** To the COPY of the same round, where it was measured. */
function ratioTo(figure: string, rate: number, limit: number | undefined): Sample[] {
  return limit === undefined ? [] : [{ figure, value: rate / limit }]
}

function fastestCopy({ round }: BenchContext): number | undefined {
  const limits = COPY_FIGURES.flatMap((figure) => round.get(figure) ?? [])
  return limits.length === 0 ? undefined : Math.max(...limits)
}
