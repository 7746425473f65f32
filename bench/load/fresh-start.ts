/**
 * Latency of a swap at a steady 2,000 swaps/s on an installation that was just started, from its hand-over to the
 * publisher until GET /swaps/{signature} has it: in the first five seconds, which other measurements do not count, and
 * in the seconds after. The servers and the publisher, which represents other machines, are warm.
 */
import { quantileMs, type Sample, sharedClockMs } from '../measure/sample.ts'
import { type BenchContext, type Measurement, STEADY, SWAPS_PER_SECOND } from '../measurement.ts'
import { openPlainClient } from '../plain-client.ts'
import { type MarketPublisher, order, verifyRun } from '../publisher.ts'
import { makeKeys } from '../reads/reads.ts'
import type { Stage } from '../stage.ts'
import { startInstallation, watchRest } from './installation.ts'

const FIRST_SECONDS = 5
const SAMPLE_EVERY = 100
const RUN = 'bench'
const PREFIX = 'start.'
const WARM_UP_SWAPS = 10_000

const figureOf = (when: string, share: string): string =>
  `published -> readable by REST at ${STEADY}, ${when}, ${share}`
const FIRST = `first ${FIRST_SECONDS} s after the start`
const WARM = 'after these'

export const freshStart: Measurement = {
  name: 'fresh-start',
  figures: [
    { figure: figureOf(FIRST, 'p50'), unit: 'ms', goal: '<= 250' },
    { figure: figureOf(FIRST, 'p99'), unit: 'ms', goal: '<= 1,000' },
    { figure: figureOf(WARM, 'p50'), unit: 'ms', digits: 1 },
    { figure: figureOf(WARM, 'p99'), unit: 'ms', digits: 1, goal: '<= 250' },
  ],
  async round(context) {
    const publisher = await context.publisher()
    await context.stages.use((stage) =>
      order(publisher, stage, { run: RUN, swaps: WARM_UP_SWAPS, swapsPerSecond: WARM_UP_SWAPS }),
    )
    return context.stages.use((stage) => play(context, stage, publisher))
  },
}

async function play(
  context: BenchContext,
  stage: Stage,
  publisher: MarketPublisher,
): Promise<Sample[]> {
  const [key = ''] = await makeKeys(stage, 'enterprise')
  const installation = await startInstallation(context, stage, PREFIX)
  const client = openPlainClient(installation.url)
  const watch = watchRest(publisher, client, key)
  try {
    const fromMs = sharedClockMs()
    const { events, swaps } = await order(publisher, stage, {
      run: RUN,
      swapsPerSecond: SWAPS_PER_SECOND,
      sampleEvery: SAMPLE_EVERY,
      swaps: SWAPS_PER_SECOND * (FIRST_SECONDS + context.seconds),
    })
    const latencies = await watch.since(fromMs)
    const warmFromMs = fromMs + FIRST_SECONDS * 1_000
    const first = latencies.filter(({ atMs }) => atMs < warmFromMs)
    const later = latencies.filter(({ atMs }) => atMs >= warmFromMs)
    await installation.untilDone(events, swaps)
    await verifyRun(stage, RUN, swaps)
    return [
      { figure: figureOf(FIRST, 'p50'), value: quantileMs(first, 0.5) },
      { figure: figureOf(FIRST, 'p99'), value: quantileMs(first, 0.99) },
      { figure: figureOf(WARM, 'p50'), value: quantileMs(later, 0.5) },
      { figure: figureOf(WARM, 'p99'), value: quantileMs(later, 0.99) },
    ]
  } finally {
    watch.close()
    client.close()
    await installation.stop()
  }
}
