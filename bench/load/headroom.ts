/**
 * Capacity first: swaps/s at full speed through pool, ledger and ranking alongside an idle API, until the last of them has
 * committed. Then published -> REST at 20 % and at 70 % of it, and a load beyond it (beyond.ts), by the same processes.
 *
 * Shares of a capacity measured in the same minutes compare between machines and hours; rates do not.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { quantileMs, type Sample, sharedClockMs } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import { openPlainClient } from '../plain-client.ts'
import { type MarketPublisher, order, verifyRun } from '../publisher.ts'
import { openReadRequests } from '../reads/read-requests.ts'
import { makeKeys } from '../reads/reads.ts'
import type { Stage } from '../stage.ts'
import { BEYOND_FIGURES, goBeyond, type Load, SHARE_BEYOND } from './beyond.ts'
import {
  type Installation,
  type RestLatency,
  startInstallation,
  watchRest,
} from './installation.ts'

const SHARES = [0.2, 0.7] as const
/** Share of the market that is published before capacity is measured. */
const WARM_UP_SHARE = 0.25
/** The start of a load at another rate, which does not count. */
const SETTLE_SECONDS = 2
const SAMPLES_PER_SECOND = 20
/** More than any load needs. */
const LAPS_MAX = 1_000
const RUN = 'bench'
const PREFIX = 'headroom.'

const CAPACITY = 'capacity: ledger and ranking, a worker process each, alongside an idle API'
const percent = (share: number): string => `${Math.round(share * 100)} %`
const figureOf = (share: number, quantileName: string): string =>
  `published -> readable by REST at ${percent(share)} of capacity, ${quantileName}`
const RATIO = `p99 at ${percent(SHARES[1])} of capacity / at ${percent(SHARES[0])}`

export const headroom: Measurement = {
  name: 'headroom',
  figures: [
    { figure: CAPACITY, unit: 'swaps/s', goal: '>= 25,000' },
    ...SHARES.flatMap((share) =>
      ['p50', 'p99'].map((name) => ({ figure: figureOf(share, name), unit: 'ms' })),
    ),
    { figure: RATIO, unit: '', digits: 2, goal: '<= 3' },
    ...BEYOND_FIGURES,
  ],
  round: (context) => context.stages.use((stage) => play(context, stage)),
}

async function play(context: BenchContext, stage: Stage): Promise<Sample[]> {
  const keys = await makeKeys(stage, 'enterprise')
  const installation = await startInstallation(context, stage, PREFIX)
  const client = openPlainClient(installation.url)
  const loads = await createLoads(context, stage, installation)
  const latenciesAt = async (swapsPerSecond: number): Promise<readonly RestLatency[]> => {
    const watch = watchRest(loads.publisher, client, keys[0] as string)
    const fromMs = sharedClockMs() + SETTLE_SECONDS * 1_000
    const load = loads.begin(swapsPerSecond)
    try {
      await pause((SETTLE_SECONDS + context.seconds) * 1_000)
      load.end()
      await load.ended
      return await watch.since(fromMs)
    } finally {
      watch.close()
      await loads.untilDone()
    }
  }
  try {
    const capacity = await loads.capacity()
    const samples: Sample[] = [{ figure: CAPACITY, value: capacity }]
    const p99s: number[] = []
    for (const share of SHARES) {
      const latencies = await latenciesAt(capacity * share)
      p99s.push(quantileMs(latencies, 0.99))
      samples.push(
        { figure: figureOf(share, 'p50'), value: quantileMs(latencies, 0.5) },
        { figure: figureOf(share, 'p99'), value: quantileMs(latencies, 0.99) },
      )
    }
    const [quiet = Number.NaN, busy = Number.NaN] = p99s
    samples.push({ figure: RATIO, value: busy / quiet })
    const { next } = await openReadRequests(stage.db, installation.url)
    const reads = { client, next, keys }
    const rate = capacity * SHARE_BEYOND
    samples.push(...(await goBeyond(context, stage, reads, () => loads.begin(rate))))
    await loads.untilDone()
    await verifyRun(stage, RUN, loads.swaps())
    return samples
  } finally {
    client.close()
    await installation.stop()
  }
}

type Loads = {
  publisher: MarketPublisher
  /** Swaps/s at full speed. The first of the loads. */
  capacity(): Promise<number>
  /** A live load at this rate until it is ended. */
  begin(swapsPerSecond: number): Load
  /** Until all that was published is committed by all actors. */
  untilDone(): Promise<unknown>
  /** Published so far. */
  swaps(): number
}

/** Loads one after another on one stage, each of laps of the market that none had before. */
async function createLoads(
  context: BenchContext,
  stage: Stage,
  installation: Installation,
): Promise<Loads> {
  const publisher = await context.publisher()
  const total = { events: 0, swaps: 0 }
  let lap = 1
  const publish = async (wanted: Parameters<typeof order>[2]) => {
    const published = await order(publisher, stage, wanted)
    total.events += published.events
    total.swaps += published.swaps
    return published
  }
  const untilDone = () => installation.untilDone(total.events, total.swaps)
  return {
    publisher,
    async capacity() {
      const warmUp = Math.round(publisher.swaps * WARM_UP_SHARE)
      const first = await publish({ run: RUN, swaps: warmUp })
      await untilDone()
      const { fromMs, swaps } = await publish({ run: RUN, skip: first.events })
      return (swaps * 1_000) / ((await untilDone()) - fromMs)
    },
    begin(swapsPerSecond) {
      const sampleEvery = Math.max(1, Math.round(swapsPerSecond / SAMPLES_PER_SECOND))
      const ended = publish({ run: RUN, swapsPerSecond, sampleEvery, lap, laps: LAPS_MAX }).then(
        ({ swaps }) => {
          lap += Math.ceil(swaps / publisher.swaps)
        },
      )
      return { end: () => publisher.program.send({ kind: 'enough' }), ended }
    },
    untilDone,
    swaps: () => total.swaps,
  }
}
