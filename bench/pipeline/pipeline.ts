/**
 * The whole way of a swap at full speed: publisher -> SWAP -> pool lanes -> tables and indexes -> FEED -> ledger and ranking,
 * a process each as `up` starts them, from the first publish to the last commit. Every swap is counted in the tables, in
 * FEED and in positions.
 */
import { type ProgramCpu, startMeter } from '../measure/cpu.ts'
import { type Sample, WrongResult } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import { order, startWorkerProgram, verifyRun } from '../publisher.ts'
import type { Stage } from '../stage.ts'
import { COPY } from './copy.ts'
import { verifyLedger } from './ledger.ts'

const WHOLE = 'pipeline with ledger and ranking, a worker process each'
const RATIO = `pipeline with ledger and ranking / ${COPY}`
const RUN = 'bench'
/** So much of the market goes first, unmeasured: a worker's first second is the compiler's. */
const WARM_UP_SHARE = 0.25
const ACTORS = ['pool', 'ledger', 'ranking'] as const

export const wholePipeline: Measurement = {
  name: 'pipeline-whole',
  figures: [
    { figure: WHOLE, unit: 'swaps/s', goal: '>= 25,000' },
    { figure: RATIO, unit: '', digits: 2 },
  ],
  async round(context) {
    const { value, cpu } = await context.stages.use((stage) => play(context, stage))
    const limit = context.round.get(COPY)
    const ratio: Sample[] = limit === undefined ? [] : [{ figure: RATIO, value: value / limit }]
    return [{ figure: WHOLE, value, cpu }, ...ratio]
  },
}

async function play(
  { stack, swaps, workerFlags, publisher: getPublisher, say }: BenchContext,
  stage: Stage,
): Promise<{ value: number; cpu: ProgramCpu }> {
  const publisher = await getPublisher()
  const workers = await Promise.all(
    ACTORS.map((actor) => startWorkerProgram(stage, workerFlags, [actor])),
  )
  const untilDone = (pool: number, derived: number) =>
    Promise.all(
      workers.map((worker, index) => {
        const actor = ACTORS[index]!
        worker.send({ kind: 'expect', events: { [actor]: actor === 'pool' ? pool : derived } })
        return worker.receive('done')
      }),
    )
  try {
    const warmUp = Math.round(swaps * WARM_UP_SHARE)
    const first = await order(publisher, stage, { run: RUN, swaps: warmUp })
    await untilDone(first.events, first.swaps)
    const measured = swaps - first.swaps
    const meter = startMeter({
      ...Object.fromEntries(ACTORS.map((actor, index) => [actor, workers[index]!.pid])),
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
    await verifyLedger(stage, swaps)
    const seconds = (atMs: number): string => ((atMs - published.fromMs) / 1000).toFixed(1)
    say(`published in ${seconds(published.toMs)} s`)
    for (const [index, { atMs, commits, rssBytes }] of ended.entries()) {
      const mib = Math.round(rssBytes / 2 ** 20)
      say(`${ACTORS[index]} done in ${seconds(atMs)} s by ${commits} commits, ${mib} MiB`)
    }
    const lastMs = Math.max(...ended.map(({ atMs }) => atMs))
    return { value: (measured * 1000) / (lastMs - published.fromMs), cpu }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()))
  }
}
