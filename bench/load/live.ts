/**
 * The chain live: blocks of the simulated chain with about 133 events at 2.5 blocks/s, and at 5 and 20 as after a break,
 * through a source, SWAP, all actors, FEED and the API; without clients, and with 100 WebSocket clients of all swaps
 * and 20 reads/s. Then a while without input.
 *
 * CPU is that of all parts but the generator of blocks, the clients and the readers, a block of 133 events. A block is readable
 * when its last swap is, and has arrived when all its swaps have.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { DEFAULT_LANE_COUNT } from '../../streams/nats/lane.ts'
import { openSwapSocket } from '../feeds/swap-socket.ts'
import { type ProgramCpu, startMeter } from '../measure/cpu.ts'
import { quantile, type Sample, sharedClockMs, WrongResult } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import { openPlainClient } from '../plain-client.ts'
import type { BlocksGiven, BlocksMessage, BlocksOrder } from '../programs/blocks-program.ts'
import type { ReadersMessage, ReadersRequest } from '../programs/feed-readers-program.ts'
import { NODE_FLAGS } from '../programs/node-flags.ts'
import { type Program, startProgram } from '../programs/program.ts'
import { openReadRequests } from '../reads/read-requests.ts'
import { makeKeys, read, untilFolded } from '../reads/reads.ts'
import type { Stage } from '../stage.ts'
import { type Installation, startInstallation, untilReadable } from './installation.ts'

const EVENTS = 133
const RATES = [2.5, 5, 20] as const
const CLIENTS = 100
const READS_PER_SECOND = 20
/** Pools and wallets are known. */
const WARM_UP_BLOCKS = 60
/**
 * Blocks at the rate of the first load: each connection plans each statement five times before it reuses a plan, and V8
 * compiles what runs often. Without these, a block of the first ten seconds costs a third more than one of a minute later.
 */
const PACED_BLOCKS = 75
/** An idle installation is measured for so many times the seconds of a load. */
const IDLE_SHARE = 6
/** Jobs and statistics that follow a load are not idle work. */
const SETTLE_MS = 5_000
const ARRIVAL_BOUND_MS = 60_000
const ENCODE_BOUND_MS = 600_000
const POLL_MS = 10

type Rate = (typeof RATES)[number]
const WATCHED = `with ${CLIENTS} WebSocket clients and ${READS_PER_SECOND} reads/s`
const cpuOf = (rate: Rate, isWatched: boolean): string =>
  `live at ${rate} blocks/s, a block of ${EVENTS} events${isWatched ? `, ${WATCHED}` : ''}`
const delayOf = (rate: Rate, to: string, share: string): string =>
  `block -> ${to} at ${rate} blocks/s, ${share}`
const commitsOf = (rate: Rate): string => `commits a block at ${rate} blocks/s`
const walOf = (rate: Rate): string => `write-ahead log a block at ${rate} blocks/s`
const lagOf = (rate: Rate): string => `last block -> all commits at ${rate} blocks/s`
const IDLE = 'all parts without input'

export const live: Measurement = {
  name: 'live',
  figures: [
    ...RATES.flatMap((rate) => [
      { figure: cpuOf(rate, false), unit: 'ms of CPU', digits: 1, goal: '<= 60' },
      { figure: cpuOf(rate, true), unit: 'ms of CPU', digits: 1 },
      { figure: delayOf(rate, 'REST', 'p50'), unit: 'ms' },
      {
        ...{ figure: delayOf(rate, 'REST', 'p99'), unit: 'ms' },
        ...(rate === 2.5 ? { goal: '<= 150' } : {}),
      },
      { figure: delayOf(rate, 'WebSocket', 'p50'), unit: 'ms' },
      { figure: delayOf(rate, 'WebSocket', 'p99'), unit: 'ms' },
      { figure: commitsOf(rate), unit: 'commits', digits: 1 },
      { figure: walOf(rate), unit: 'KiB' },
      { figure: lagOf(rate), unit: 'ms' },
    ]),
    { figure: IDLE, unit: '% of a core', digits: 1, goal: '<= 3' },
  ],
  round: (context) =>
    context.stages.use((stage) => play(context, stage), { laneCount: DEFAULT_LANE_COUNT }),
}

type Parts = {
  context: BenchContext
  stage: Stage
  installation: Installation
  source: Program<BlocksMessage>
}

async function play(context: BenchContext, stage: Stage): Promise<Sample[]> {
  const { databaseUrl, natsUrl, topology } = stage
  const { prefix, laneCount } = topology
  const installation = await startInstallation(context, stage, prefix, {
    natsUrl,
    sharesWorker: true,
  })
  const { redisUrl } = context.stack
  const given = { databaseUrl, natsUrl, redisUrl, prefix, laneCount, swapsPerSlot: EVENTS }
  const source = startProgram<BlocksMessage>(
    'blocks-program.ts',
    given satisfies BlocksGiven,
    NODE_FLAGS,
  )
  const parts = { context, stage, installation, source }
  try {
    await source.receive('ready')
    await encode(source, WARM_UP_BLOCKS)
    await playAll(parts, 0)
    await untilFolded(stage)
    await stage.db.query('analyze')
    await encode(source, PACED_BLOCKS)
    await playAll(parts, 1_000 / RATES[0])
    const samples: Sample[] = []
    for (const rate of RATES) {
      samples.push(...(await measure(parts, rate, false)), ...(await measure(parts, rate, true)))
    }
    return [...samples, await idle(parts)]
  } finally {
    await source.stop()
    await installation.stop()
  }
}

async function encode(source: Program<BlocksMessage>, blocks: number): Promise<void> {
  source.send({ kind: 'encode', blocks } satisfies BlocksOrder)
  await source.receive('encoded', ENCODE_BOUND_MS)
}

/** Plays the encoded blocks; resolves to the time from the last one to the last commit, in milliseconds. */
async function playAll({ source, installation }: Parts, blockMs: number): Promise<number> {
  const played = source.receive('played', ENCODE_BOUND_MS)
  source.send({ kind: 'play', blockMs } satisfies BlocksOrder)
  const { events, swaps, lastMs } = await played
  return (await installation.untilDone(events, swaps)) - lastMs
}

/** One load; its blocks are encoded before. */
async function measure(parts: Parts, rate: Rate, isWatched: boolean): Promise<Sample[]> {
  const { context, stage, installation, source } = parts
  const blocks = Math.ceil(context.seconds * rate)
  await encode(source, blocks)
  const audience = isWatched ? await openAudience(parts) : undefined
  try {
    const before = { ...(await logged(stage)), commits: await commitsSoFar(installation) }
    const events = countEvents(source)
    const meter = meterOf(parts)
    const reading = audience?.read(context.seconds)
    const lagMs = await playAll(parts, 1_000 / rate)
    await reading
    const cpu = meter.perSwap(events.count() / EVENTS)
    events.stop()
    const delays = await audience?.delays()
    const value = sumOf(cpu) / 1_000
    const samples: Sample[] = [{ figure: cpuOf(rate, isWatched), value, cpu }]
    if (delays !== undefined) return [...samples, ...delaysOf(rate, delays)]
    const { bytes } = await logged(stage)
    const commits = (await commitsSoFar(installation)) - before.commits
    return [
      ...samples,
      { figure: commitsOf(rate), value: commits / blocks },
      { figure: walOf(rate), value: (bytes - before.bytes) / 1_024 / blocks },
      { figure: lagOf(rate), value: lagMs },
    ]
  } finally {
    await audience?.close()
  }
}

const delaysOf = (rate: Rate, { rest, webSocket }: Delays): Sample[] =>
  Object.entries({ REST: rest, WebSocket: webSocket }).flatMap(([to, took]) => [
    { figure: delayOf(rate, to, 'p50'), value: quantile(took, 0.5) },
    { figure: delayOf(rate, to, 'p99'), value: quantile(took, 0.99) },
  ])

async function idle(parts: Parts): Promise<Sample> {
  // Autovacuum would do the work of the load before.
  await parts.stage.db.query('vacuum analyze')
  await pause(SETTLE_MS)
  const seconds = IDLE_SHARE * parts.context.seconds
  const meter = meterOf(parts)
  await pause(seconds * 1_000)
  const cpu = meter.perSwap(seconds)
  return { figure: IDLE, value: sumOf(cpu) / 10_000, cpu }
}

function meterOf({ context, installation, source }: Parts) {
  const { postgres, nats, redis } = context.stack.servers
  return startMeter({
    source: source.pid,
    ...installation.pids,
    PostgreSQL: postgres.pid,
    NATS: nats.pid,
    Redis: redis.pid,
  })
}

const sumOf = (cpu: ProgramCpu): number => Object.values(cpu).reduce((sum, each) => sum + each, 0)

/** Bytes that PostgreSQL has logged. */
async function logged({ db }: Stage): Promise<{ bytes: number }> {
  const { rows } = await db.query<{ bytes: string }>(
    "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text as bytes",
  )
  return { bytes: Number(rows[0]?.bytes) }
}

async function commitsSoFar({ workers }: Installation): Promise<number> {
  const states = workers.map((worker) => {
    const state = worker.receive('state')
    worker.send({ kind: 'state' })
    return state
  })
  return (await Promise.all(states)).reduce((sum, { commits }) => sum + commits, 0)
}

/** Events of the blocks that are played from now on. */
function countEvents(source: Program<BlocksMessage>): { count(): number; stop(): void } {
  let count = 0
  const stop = source.listen((message) => {
    if (message.kind === 'block') count += message.events
  })
  return { count: () => count, stop }
}

type Delays = { rest: number[]; webSocket: number[] }
type Audience = {
  read(seconds: number): Promise<unknown>
  /** Delays of all blocks, once each has arrived. */
  delays(): Promise<Delays>
  close(): Promise<void>
}

/** Clients of the feed, reads of all routes, and a look-up of each block by REST and on a socket. */
async function openAudience({ context, stage, installation, source }: Parts): Promise<Audience> {
  const { url } = installation
  const [[key = ''], keys] = await Promise.all([makeKeys(stage, 'enterprise'), makeKeys(stage)])
  const request: ReadersRequest = { transport: 'websocket', url, key, count: CLIENTS }
  const readers = startProgram<ReadersMessage>('feed-readers-program.ts', request)
  await readers.receive('joined')
  const client = openPlainClient(url)
  const { next } = await openReadRequests(stage.db, url)
  const arrivals = new Arrivals()
  await arrivals.open({ url, key })
  const rest: Promise<number>[] = []
  const stop = source.listen((message) => {
    if (message.kind !== 'block') return
    const { slot, swaps, signature, atMs } = message
    arrivals.expect(slot, swaps, atMs)
    rest.push(untilReadable(client, key, signature, atMs))
  })
  return {
    async read(seconds) {
      const load = { client, next, keys, readsPerSecond: READS_PER_SECOND }
      const failed = (await read(load, seconds)).filter(({ status }) => status >= 500)
      for (const { request: failing, status } of failed) context.say(`${status}: ${failing.path}`)
    },
    delays: async () => ({ rest: await Promise.all(rest), webSocket: await arrivals.all() }),
    async close() {
      stop()
      arrivals.close()
      client.close()
      await readers.stop()
    },
  }
}

type Awaited = { left: number; atMs: number; tookMs?: number }

/** When all swaps of each block have arrived at a socket. */
class Arrivals {
  readonly #blocks = new Map<number, Awaited>()
  readonly #early = new Map<number, number>()
  #socket: WebSocket | undefined

  async open(api: { url: string; key: string }): Promise<void> {
    this.#socket = await openSwapSocket(api, (text) => {
      for (const [, slot] of text.matchAll(/"slot":(\d+)/g)) this.#arrived(Number(slot))
    })
  }

  expect(slot: number, swaps: number, atMs: number): void {
    const early = this.#early.get(slot) ?? 0
    const left = swaps - early
    this.#blocks.set(slot, {
      left,
      atMs,
      ...(left === 0 ? { tookMs: sharedClockMs() - atMs } : {}),
    })
  }

  #arrived(slot: number): void {
    const block = this.#blocks.get(slot)
    if (block === undefined) {
      this.#early.set(slot, (this.#early.get(slot) ?? 0) + 1)
      return
    }
    block.left--
    if (block.left === 0) block.tookMs = sharedClockMs() - block.atMs
  }

  async all(): Promise<number[]> {
    const boundMs = sharedClockMs() + ARRIVAL_BOUND_MS
    const blocks = [...this.#blocks.values()]
    while (blocks.some(({ left }) => left > 0)) {
      if (sharedClockMs() > boundMs) throw new WrongResult('not all swaps arrived at a socket')
      await pause(POLL_MS)
    }
    return blocks.map(({ tookMs = Number.NaN }) => tookMs)
  }

  close(): void {
    this.#socket?.terminate()
  }
}
