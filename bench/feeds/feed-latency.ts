/**
 * Latency of a swap to a WebSocket client at a steady 2,000 swaps/s, from its hand-over to the publisher: through SWAP,
 * the pool actor's commit, FEED and the API. Every 20th swap is watched.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { startMeter } from '../measure/cpu.ts'
import { quantile, type Sample, sharedClockMs, WrongResult } from '../measure/sample.ts'
import { type BenchContext, type Measurement, STEADY, SWAPS_PER_SECOND } from '../measurement.ts'
import { order, startWorkerProgram, verifyRun } from '../publisher.ts'
import type { Stage } from '../stage.ts'
import { type FeedApi, startFeedApi } from './fan-out.ts'
import { openSwapSocket } from './swap-socket.ts'

const SAMPLE_EVERY = 20
const WARM_UP_SECONDS = 3
const ARRIVAL_BOUND_MS = 20_000
const RUN = 'bench'
const at = `at ${STEADY}`
const figureOf = (name: string): string => `published -> WebSocket client ${at}, ${name}`
const LOAD = `the same load, with the feed ${at}`

export const feedLatency: Measurement = {
  name: 'feed-latency',
  figures: [
    { figure: figureOf('p50'), unit: 'ms', digits: 1, goal: '<= 18' },
    { figure: figureOf('p99'), unit: 'ms', digits: 1, goal: '<= 45' },
    { figure: LOAD, unit: 'swaps/s' },
  ],
  round: (context) => context.stages.use((stage) => play(context, stage)),
}

async function play(context: BenchContext, stage: Stage): Promise<Sample[]> {
  const { stack, workerFlags, seconds } = context
  const publisher = await context.publisher()
  const swaps = Math.min(publisher.swaps, SWAPS_PER_SECOND * (seconds + WARM_UP_SECONDS))
  const worker = await startWorkerProgram(stage, workerFlags)
  const feedApi = await startFeedApi(context, stage)
  const watch = new Watch()
  let stopListening = () => {}
  try {
    await watch.open(feedApi)
    const meter = startMeter({
      worker: worker.pid,
      publisher: publisher.program.pid,
      PostgreSQL: stack.servers.postgres.pid,
      NATS: stack.servers.nats.pid,
      API: feedApi.api.pid,
    })
    const warmUntilMs = sharedClockMs() + WARM_UP_SECONDS * 1_000
    stopListening = publisher.program.listen((message) => {
      if (message.kind === 'sample' && message.atMs >= warmUntilMs)
        watch.add(message.signature, message.atMs)
    })
    const load = { run: RUN, swaps, swapsPerSecond: SWAPS_PER_SECOND, sampleEvery: SAMPLE_EVERY }
    const published = await order(publisher, stage, load)
    const took = await watch.finish()
    // Unwatched ones may still be in flight.
    worker.send({ kind: 'expect', events: { pool: published.events } })
    await worker.receive('done')
    const cpu = meter.perSwap(swaps)
    await verifyRun(stage, RUN, swaps)
    const rate = published.swaps / ((published.toMs - published.fromMs) / 1_000)
    return [
      { figure: figureOf('p50'), value: quantile(took, 0.5) },
      { figure: figureOf('p99'), value: quantile(took, 0.99) },
      { figure: LOAD, value: rate, cpu },
    ]
  } finally {
    stopListening()
    watch.close()
    await feedApi.api.stop()
    await worker.stop()
  }
}

/** When each swap came, and when those were published that are watched. */
class Watch {
  readonly #came = new Map<string, number>()
  readonly #published = new Map<string, number>()
  #socket: WebSocket | undefined

  async open(api: FeedApi): Promise<void> {
    this.#socket = await openSwapSocket(api, (text, atMs) => {
      for (const [, signature = ''] of text.matchAll(/"signature":"(\w+)"/g)) {
        this.#came.set(signature, atMs)
      }
    })
  }

  add(signature: string, atMs: number): void {
    this.#published.set(signature, atMs)
  }

  /** Latency of each in milliseconds, once all have arrived. */
  async finish(): Promise<number[]> {
    const boundMs = sharedClockMs() + ARRIVAL_BOUND_MS
    const left = () => [...this.#published.keys()].filter((each) => !this.#came.has(each)).length
    while (left() > 0) {
      if (sharedClockMs() > boundMs) throw new WrongResult(`${left()} swaps never came`)
      await pause(10)
    }
    return [...this.#published].map(([signature, atMs]) => this.#came.get(signature)! - atMs)
  }

  close(): void {
    this.#socket?.terminate()
  }
}
