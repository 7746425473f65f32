/**
 * The whole way of a swap, flat out: publisher -> SWAP -> pool lanes -> tables and indexes -> FEED, from the
 * first publish to the ack of the last announcement; every swap is counted in the tables and in FEED.
 */
import { COPY_FIGURES, copyFigure } from './copy.ts'
import { startMeter } from './cpu.ts'
import { type Measurement, type Sample, WrongResult } from './measurement.ts'
import { order, startWorkerProgram, verifyRun } from './publisher.ts'

const PIPELINE = 'pipeline: SWAP -> pool -> FEED'
const RATIO_TO_ONE = `pipeline / ${copyFigure(1)}`
const RATIO_TO_FASTEST = 'pipeline / raw binary COPY, the fastest of these'
const RUN = 'bench'

export const pipeline: Measurement = {
  name: 'pipeline',
  needsStack: true,
  figures: [
    { figure: PIPELINE, unit: 'swaps/s', goal: '>= 30,000; CPU <= 60' },
    { figure: RATIO_TO_ONE, unit: '', goal: '>= 0.40', digits: 2 },
    { figure: RATIO_TO_FASTEST, unit: '', digits: 2 },
  ],
  async round(context) {
    const { stack, stages, swaps, workerFlags } = context
    const publisher = await context.publisher()
    return stages.use(async (stage) => {
      const worker = await startWorkerProgram(stage, workerFlags)
      try {
        worker.tell({ kind: 'expect', events: publisher.events })
        const meter = startMeter({
          worker: worker.pid,
          publisher: publisher.program.pid,
          PostgreSQL: stack.servers.postgres.pid,
          NATS: stack.servers.nats.pid,
        })
        const done = worker.hear('done')
        const [published, { atMs, commits }] = await Promise.all([
          order(publisher, stage, { run: RUN }),
          done,
        ])
        const cpu = meter.perSwap(swaps)
        const seconds = (atMs - published.fromMs) / 1000
        if (published.swaps !== swaps) throw new WrongResult(`published ${published.swaps} swaps`)
        await verifyRun(stage, RUN, swaps)
        const publishedIn = ((published.toMs - published.fromMs) / 1000).toFixed(1)
        context.say(
          `published in ${publishedIn} s, done in ${seconds.toFixed(1)} s by ${commits} commits`,
        )
        const rate = swaps / seconds
        return [{ figure: PIPELINE, value: rate, cpu }, ...ratios(rate, context.round)]
      } finally {
        await worker.stop()
      }
    })
  },
}

/** To the COPY of the same round, where it was measured. */
function ratios(rate: number, round: ReadonlyMap<string, number>): Sample[] {
  const limits = COPY_FIGURES.flatMap((figure) => round.get(figure) ?? [])
  const single = round.get(copyFigure(1))
  if (single === undefined) return []
  return [
    { figure: RATIO_TO_ONE, value: rate / single },
    { figure: RATIO_TO_FASTEST, value: rate / Math.max(...limits) },
  ]
}
