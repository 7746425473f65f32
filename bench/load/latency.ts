/**
 * Latency of a swap at a steady 2,000 swaps/s, from its hand-over to the publisher (its linger is included): until SQL
 * finds it, until GET /swaps/{signature} has it, until FEED delivers it.
 *
 * Every 20th swap is watched: by one statement every millisecond for all pending ones, every 60th also by separate
 * requests a millisecond apart. The watching is part of PostgreSQL's CPU here.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { signatureHash } from '../../domain/numbers/signature-hash.ts'
import type { Connection } from '../../sql/db.ts'
import { decodeFeedBatch } from '../../streams/codec/event-codec.ts'
import { openReader } from '../../streams/nats/jetstream.ts'
import { feedStreamSubject } from '../../streams/nats/subject.ts'
import { startMeter } from '../measure/cpu.ts'
import { quantile, type Sample, sharedClockMs, WrongResult } from '../measure/sample.ts'
import { type BenchContext, type Measurement, STEADY, SWAPS_PER_SECOND } from '../measurement.ts'
import { order, startWorkerProgram, verifyRun } from '../publisher.ts'
import { type RestClient, startRest } from '../rest-client.ts'
import type { Stage } from '../stage.ts'

const SAMPLE_EVERY = 20
const REST_EVERY_SAMPLES = 3
const STEP_MS = 1
/** Samples of the warm-up do not count: the watching itself is slow until it is warm. */
const WARM_UP_SECONDS = 5
const WATCH_BOUND_MS = 10_000
const RUN = 'bench'

const WAYS = {
  sql: { name: 'readable by SQL', goals: ['', ''] },
  rest: { name: 'readable by REST', goals: ['<= 15', '<= 40'] },
  feed: { name: 'received from FEED', goals: ['<= 18', '<= 45'] },
} as const
type Way = keyof typeof WAYS
const at = `at ${STEADY}`
const LOAD = `steady load ${at}`
const figureOf = (way: Way, quantileName: string): string =>
  `published -> ${WAYS[way].name} ${at}, ${quantileName}`

export const latency: Measurement = {
  name: 'latency',
  needsStack: true,
  figures: [
    ...(Object.keys(WAYS) as Way[]).flatMap((way) =>
      ['p50', 'p99'].map((name, index) => ({
        figure: figureOf(way, name),
        unit: 'ms',
        digits: 1,
        ...(WAYS[way].goals[index] ? { goal: WAYS[way].goals[index] } : {}),
      })),
    ),
    { figure: LOAD, unit: 'swaps/s' },
  ],
  round: (context) => context.stages.use((stage) => play(context, stage)),
}

async function play(context: BenchContext, stage: Stage): Promise<Sample[]> {
  const { stack, workerFlags } = context
  const publisher = await context.publisher()
  const swaps = Math.min(publisher.swaps, SWAPS_PER_SECOND * (context.seconds + WARM_UP_SECONDS))
  const worker = await startWorkerProgram(stage, workerFlags)
  const rest = await startRest(stage, context.workerFlags)
  const watch = new Watch(stage, rest)
  let stopListening = () => {}
  try {
    await watch.open()
    const meter = startMeter({
      worker: worker.pid,
      publisher: publisher.program.pid,
      PostgreSQL: stack.servers.postgres.pid,
      NATS: stack.servers.nats.pid,
      API: rest.pid,
    })
    watch.countFrom(sharedClockMs() + WARM_UP_SECONDS * 1_000)
    stopListening = publisher.program.listen((message) => {
      if (message.kind === 'sample') watch.add(message.signature, message.atMs)
    })
    const published = await order(publisher, stage, {
      run: RUN,
      swaps,
      swapsPerSecond: SWAPS_PER_SECOND,
      sampleEvery: SAMPLE_EVERY,
    })
    const took = await watch.finish()
    // Unwatched ones may still be in flight.
    worker.send({ kind: 'expect', events: { pool: published.events } })
    await worker.receive('done')
    const cpu = meter.perSwap(swaps)
    await verifyRun(stage, RUN, swaps)
    const rate = published.swaps / ((published.toMs - published.fromMs) / 1000)
    return [
      ...(Object.keys(WAYS) as Way[]).flatMap((way) => [
        { figure: figureOf(way, 'p50'), value: quantile(took[way], 0.5) },
        { figure: figureOf(way, 'p99'), value: quantile(took[way], 0.99) },
      ]),
      { figure: LOAD, value: rate, cpu },
    ]
  } finally {
    stopListening()
    await watch.close()
    await rest.stop()
    await worker.stop()
  }
}

/** Watches swaps until all three ways have shown them. */
class Watch {
  readonly #stage: Stage
  readonly #rest: RestClient
  readonly #took: Record<Way, number[]> = { sql: [], rest: [], feed: [] }
  /** By signature: when it was handed over. */
  readonly #awaitedInFeed = new Map<string, number>()
  /** By the text of a signature's hash. */
  readonly #awaitedBySql = new Map<string, number>()
  /** Swaps that FEED delivered before the publisher reported them to this program. */
  readonly #early = new Map<string, number>()
  #countsFromMs = Infinity
  #awaitedByRest = 0
  #samples = 0
  #isClosed = false
  #running: Promise<unknown>[] = []
  #error: unknown

  constructor(stage: Stage, rest: RestClient) {
    this.#stage = stage
    this.#rest = rest
  }

  async open(): Promise<void> {
    const connection = await this.#stage.db.connect()
    const reading = this.#readFeed()
    const polling = this.#pollSql(connection).finally(() => connection.release())
    this.#running = [reading, polling].map((running) => running.catch((error) => this.#fail(error)))
  }

  /** Discards samples of swaps that are handed over before this moment. */
  countFrom(atMs: number): void {
    this.#countsFromMs = atMs
  }

  #count(way: Way, atMs: number, nowMs: number): void {
    if (atMs >= this.#countsFromMs) this.#took[way].push(nowMs - atMs)
  }

  add(signature: string, atMs: number): void {
    const early = this.#early.get(signature)
    if (early === undefined) this.#awaitedInFeed.set(signature, atMs)
    else this.#count('feed', atMs, early)
    this.#awaitedBySql.set(`${signatureHash(signature)}`, atMs)
    this.#samples += 1
    if (this.#samples % REST_EVERY_SAMPLES !== 0) return
    void this.#pollRest(signature, atMs).catch((error) => this.#fail(error))
  }

  /** Returns the samples once nothing is awaited. */
  async finish(): Promise<Record<Way, number[]>> {
    const boundMs = sharedClockMs() + WATCH_BOUND_MS
    const left = () => this.#awaitedInFeed.size + this.#awaitedBySql.size + this.#awaitedByRest
    while (left() > 0) {
      if (this.#error !== undefined) throw this.#error
      if (sharedClockMs() > boundMs) throw new WrongResult(`${left()} swaps never seen`)
      await pause(10)
    }
    return this.#took
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#running)
  }

  #fail(error: unknown): void {
    this.#error ??= error
  }

  async #readFeed(): Promise<void> {
    const { jetStream, topology } = this.#stage
    const filter = feedStreamSubject(topology.prefix)
    const reader = await openReader(jetStream, topology.feed.stream, filter, 1)
    while (!this.#isClosed) {
      const messages = await reader.take(1, 200)
      const nowMs = sharedClockMs()
      for (const event of messages.flatMap(({ payload }) => decodeFeedBatch(payload))) {
        if (event.kind === 'swap') this.#received(event.swap.signature, nowMs)
      }
    }
    await reader.close()
  }

  #received(signature: string, nowMs: number): void {
    const atMs = this.#awaitedInFeed.get(signature)
    if (atMs === undefined) this.#early.set(signature, nowMs)
    else {
      this.#awaitedInFeed.delete(signature)
      this.#count('feed', atMs, nowMs)
    }
  }

  async #pollSql(connection: Connection): Promise<void> {
    const found = {
      name: 'watch',
      text: `select signature_hash::text as hash from swap_signature
        where signature_hash = any ($1::bigint[])`,
    }
    while (!this.#isClosed) {
      if (this.#awaitedBySql.size > 0) {
        const values = [[...this.#awaitedBySql.keys()]]
        const { rows } = await connection.query<{ hash: string }>({ ...found, values })
        const nowMs = sharedClockMs()
        for (const { hash } of rows) {
          const atMs = this.#awaitedBySql.get(hash)
          if (atMs !== undefined) this.#count('sql', atMs, nowMs)
          this.#awaitedBySql.delete(hash)
        }
      }
      await pause(STEP_MS)
    }
  }

  async #pollRest(signature: string, atMs: number): Promise<void> {
    this.#awaitedByRest += 1
    for (;;) {
      const status = await this.#rest.lookUp(signature)
      if (status === 200) break
      if (status !== 404) throw new WrongResult(`GET /swaps/${signature}: ${status}`)
      if (sharedClockMs() > atMs + WATCH_BOUND_MS) throw new WrongResult(`${signature}: 404`)
      await pause(STEP_MS)
    }
    this.#count('rest', atMs, sharedClockMs())
    this.#awaitedByRest -= 1
  }
}
