/**
 * Reads of all routes mixed, 500 a second, while 2,000 swaps a second arrive through all three actors, over so many
 * stored before. Requests are the examples of the OpenAPI document with addresses of the market. Hot ones are repeated;
 * cold ones are each new.
 *
 * The load is open: a request is due at its time, whether earlier ones have ended or not, and its delay counts.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { createKey } from '../../api/gateway/keys/keys.ts'
import type { Tier } from '../../api/routing/caller.ts'
import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import { LEADERBOARD_PERIODS } from '../../domain/wallet/leaderboard.ts'
import { feedHead } from '../../streams/nats/topology.ts'
import { makeRanking } from '../../workers/jobs/leaderboard.ts'
import { rebuildLedger } from '../../workers/rebuild/ledger.ts'
import { startMeter } from '../measure/cpu.ts'
import { quantile, quantileMs, type Sample, sharedClockMs, WrongResult } from '../measure/sample.ts'
import { type BenchContext, type Measurement, STEADY, SWAPS_PER_SECOND } from '../measurement.ts'
import { openPlainClient, type PlainClient } from '../plain-client.ts'
import type { ApiGiven, ApiMessage } from '../programs/api-program.ts'
import type { JobsMessage } from '../programs/jobs-program.ts'
import { type Program, programLog, startProgram } from '../programs/program.ts'
import type { WorkerMessage } from '../programs/worker-program.ts'
import { order, startWorkerProgram } from '../publisher.ts'
import type { Stage } from '../stage.ts'
import { openReadRequests, type ReadRequest } from './read-requests.ts'

const READS_PER_SECOND = 500
/** Warm-up without counting: plans, pools of connections and caches. */
const WARM_UP_SECONDS = 5
/** After a long history workers fill their caches, token by token and position by position. */
const LONG_WARM_UP_SECONDS = 60
const TICK_MS = 1
/** Each may send 30,000 requests a minute. */
const KEYS = 10
const STORE_BOUND_MS = HOUR_MS
const POLL_MS = 500
/** More are stored first and folded then, as `rebuild ledger` does: live, a history that long needs an hour. */
const LIVE_MAX = 1_000_000
/** Routes that a run reports, the slowest first. */
const PRINTED_ROUTES = 12
/** The header that clients send; compressed bodies are read and not decoded. */
const ENCODINGS = 'Accept-Encoding: gzip, deflate\r\n'
export const ACTORS = ['pool', 'ledger', 'ranking']
const PREFIX = 'reads.'

const under = `at ${READS_PER_SECOND} reads/s alongside ${STEADY}`
const figureOf = (kind: ReadRequest['kind'], share: string): string =>
  `${kind} reads ${under}, ${share}`
const RATE = `reads ${under}`
const FAILED = `reads ${under} that failed`
const INGESTED = `swaps stored alongside ${READS_PER_SECOND} reads/s`

/** Status 0 is a connection that failed, for this reason. */
export type Took = {
  request: ReadRequest
  ms: number
  status: number
  hasRetryAfter: boolean
  reason: string
}
export type ReadLoad = {
  client: PlainClient
  next: () => ReadRequest
  keys: readonly string[]
  readsPerSecond: number
}
type Programs = {
  api: Program<ApiMessage>
  jobs: Program<JobsMessage>
  workers: Program<WorkerMessage>[]
}

export function readsOf(stored: number): Measurement {
  return {
    name: 'reads',
    figures: [
      { figure: figureOf('hot', 'p50'), unit: 'ms', digits: 1 },
      { figure: figureOf('hot', 'p99'), unit: 'ms', digits: 1, goal: '<= 25' },
      { figure: figureOf('cold', 'p50'), unit: 'ms', digits: 1 },
      { figure: figureOf('cold', 'p99'), unit: 'ms', digits: 1, goal: '<= 80' },
      { figure: RATE, unit: 'requests/s' },
      { figure: FAILED, unit: 'requests', goal: '0' },
      { figure: INGESTED, unit: 'swaps/s' },
    ],
    round: (context) => context.stages.use((stage) => play(context, stage, stored)),
  }
}

async function play(context: BenchContext, stage: Stage, stored: number): Promise<Sample[]> {
  const { databaseUrl } = stage
  const { redisUrl } = context.stack
  const shared = { databaseUrl, redisUrl, prefix: PREFIX }
  const start = (actor: string) => startWorkerProgram(stage, context.workerFlags, [actor])
  const isLong = stored > LIVE_MAX
  const workers = await Promise.all((isLong ? ACTORS.slice(0, 1) : ACTORS).map(start))
  const jobs = startProgram<JobsMessage>('jobs-program.ts', shared, context.workerFlags)
  const given = { ...shared, requestsJobs: true } satisfies ApiGiven
  const api = startProgram<ApiMessage>('api-program.ts', given, context.workerFlags)
  try {
    const { url } = await api.receive('ready')
    const laps = await store(context, stage, workers, stored)
    if (isLong) {
      await rebuildLedger(stage.db, { laneCount: stage.topology.laneCount, log: programLog })
      for (const actor of ACTORS.slice(1)) workers.push(await start(actor))
    }
    await untilFolded(stage)
    await stage.db.query('analyze')
    if (isLong) await settle(stage)
    const warmUpSeconds = isLong ? LONG_WARM_UP_SECONDS : WARM_UP_SECONDS
    return await load(context, stage, { api, jobs, workers }, { url, lap: laps, warmUpSeconds })
  } finally {
    await Promise.all([api, jobs, ...workers].map((program) => program.stop()))
  }
}

/** Publishes so many swaps through all actors; returns the laps of the market that this needed. */
export async function store(
  context: BenchContext,
  stage: Stage,
  workers: readonly Program<WorkerMessage>[],
  stored: number,
): Promise<number> {
  const publisher = await context.publisher()
  const laps = Math.ceil(stored / publisher.swaps)
  const timer = setInterval(() => workers[0]?.send({ kind: 'state' }), 500)
  const stopListening = workers[0]?.listen((message) => {
    if (message.kind === 'state')
      publisher.program.send({ kind: 'committed', events: message.events })
  })
  try {
    const { swaps } = await order(publisher, stage, { run: 'stored', swaps: stored, laps })
    const boundMs = sharedClockMs() + STORE_BOUND_MS
    for (;;) {
      if ((await countSwaps(stage)) === swaps) break
      if (sharedClockMs() > boundMs) throw new WrongResult(`${swaps} swaps: not all were stored`)
      await pause(POLL_MS)
    }
  } finally {
    clearInterval(timer)
    stopListening?.()
  }
  return laps
}

/** Until positions and rankings include all stored swaps. */
export async function untilFolded({ db, jetStream, topology }: Stage): Promise<void> {
  const lanes = Array.from({ length: topology.laneCount }, (_, lane) => lane)
  const heads = await Promise.all(lanes.map((lane) => feedHead(jetStream, topology, lane)))
  const lacking = `
    select (select coalesce(sum(buy_count + sell_count), 0) from position)
        - (select sum(swap_count) from pool) as swaps,
      (select count(*) from ledger_audit) as audits,
      (select count(*) from position_refold) as recomputes,
      1 + cardinality($1::bigint[]) - (
        select count(*)
        from checkpoint
        where actor = 'ledger' and sequence >= ($1::bigint[])[lane + 1] or actor = 'ranking' and sequence >= $2
      ) as lanes`
  const boundMs = sharedClockMs() + STORE_BOUND_MS
  for (;;) {
    const { rows } = await db.query(lacking, [heads, Math.max(...heads)])
    if (Object.values(rows[0]).every((count) => Number(count) === 0)) return
    if (sharedClockMs() > boundMs)
      throw new WrongResult(`not all is folded: ${JSON.stringify(rows)}`)
    await pause(POLL_MS)
  }
}

/** Work that follows a long history once: its leaderboards are ranked, and dirty pages are written to disk. */
async function settle({ db }: Stage): Promise<void> {
  for (const period of LEADERBOARD_PERIODS) await makeRanking(db, period)
  await db.query('checkpoint')
}

async function load(
  context: BenchContext,
  stage: Stage,
  { api, jobs, workers }: Programs,
  { url, lap, warmUpSeconds }: { url: string; lap: number; warmUpSeconds: number },
): Promise<Sample[]> {
  const publisher = await context.publisher()
  const requests = await openReadRequests(stage.db, url)
  const keys = await makeKeys(stage)
  // Until it is stopped.
  const published = order(publisher, stage, {
    run: 'steady',
    swapsPerSecond: SWAPS_PER_SECOND,
    lap,
  })
  const client = openPlainClient(url)
  const readLoad = { client, next: requests.next, keys, readsPerSecond: READS_PER_SECOND }
  await read(readLoad, warmUpSeconds)
  const { servers } = context.stack
  const meter = startMeter({
    API: api.pid,
    jobs: jobs.pid,
    ...Object.fromEntries(workers.map(({ pid }, index) => [ACTORS[index], pid])),
    PostgreSQL: servers.postgres.pid,
    NATS: servers.nats.pid,
    Redis: servers.redis.pid,
    publisher: publisher.program.pid,
    client: 0,
  })
  const storedBefore = await countSwaps(stage)
  const fromMs = sharedClockMs()
  const took = await read(readLoad, context.seconds)
  const endMs = sharedClockMs()
  const seconds = (endMs - fromMs) / 1_000
  const cpu = meter.perSwap(took.length)
  client.close()
  const ingested = ((await countSwaps(stage)) - storedBefore) / seconds
  if (ingested === 0) throw new WrongResult('no swap was stored alongside the reads')
  publisher.program.send({ kind: 'enough' })
  const { toMs } = await published
  if (toMs < endMs) throw new WrongResult('the market ended before the reads: give it more --swaps')
  printRoutes(context, took)
  const mistaken = took.find(({ status }) => status >= 400 && status < 500 && status !== 404)
  if (mistaken !== undefined) throw new WrongResult(`${mistaken.status}: ${mistaken.request.path}`)
  const of = (kind: ReadRequest['kind'], share: number): number =>
    quantileMs(
      took.filter(({ request }) => request.kind === kind),
      share,
    )
  return [
    ...(['hot', 'cold'] as const).flatMap((kind) => [
      { figure: figureOf(kind, 'p50'), value: of(kind, 0.5) },
      { figure: figureOf(kind, 'p99'), value: of(kind, 0.99) },
    ]),
    { figure: RATE, value: took.length / seconds, cpu },
    { figure: FAILED, value: took.filter(({ status }) => status >= 500 || status === 0).length },
    { figure: INGESTED, value: ingested },
  ]
}

async function countSwaps({ db }: Stage): Promise<number> {
  const { rows } = await db.query<{ swaps: number }>('select count(*)::integer as swaps from swap')
  return rows[0]?.swaps ?? 0
}

export async function makeKeys({ db }: Stage, tier: Tier = 'pro'): Promise<string[]> {
  const wanted = { tier, environment: 'test', account: 'bench', by: 'bench' } as const
  return Promise.all(Array.from({ length: KEYS }, async () => (await createKey(db, wanted)).key))
}

export async function read(
  { client, next, keys, readsPerSecond }: ReadLoad,
  seconds: number,
): Promise<Took[]> {
  const pending: Promise<Took>[] = []
  const wanted = seconds * readsPerSecond
  const fromMs = sharedClockMs()
  for (;;) {
    const nowMs = sharedClockMs()
    while (pending.length < wanted) {
      const dueMs = fromMs + (pending.length * 1_000) / readsPerSecond
      if (dueMs > nowMs) break
      const key = keys[pending.length % keys.length] as string
      pending.push(readOne(client, next(), key, dueMs))
    }
    if (pending.length >= wanted) break
    await pause(TICK_MS)
  }
  return Promise.all(pending)
}

async function readOne(
  client: PlainClient,
  request: ReadRequest,
  key: string,
  dueMs: number,
): Promise<Took> {
  const headers = `X-API-Key: ${key}\r\n${ENCODINGS}`
  const { status, hasRetryAfter, reason } = await client.get(request.path, headers).then(
    ({ status, hasRetryAfter }) => ({ status, hasRetryAfter, reason: '' }),
    (error: Error) => ({ status: 0, hasRetryAfter: false, reason: error.message }),
  )
  return { request, ms: sharedClockMs() - dueMs, status, hasRetryAfter, reason }
}

/** The slowest routes by their total time, which shows where to optimize. */
function printRoutes({ say }: BenchContext, took: readonly Took[]): void {
  const byRoute = Map.groupBy(took, ({ request }) => `${request.kind} ${request.route}`)
  const lines = Array.from(byRoute, ([route, of]) => {
    const ms = of.map((each) => each.ms)
    const failed = of.filter(({ status }) => status >= 500 || status === 0).length
    return { route, count: of.length, p50: quantile(ms, 0.5), p99: quantile(ms, 0.99), failed }
  }).sort((a, b) => b.p50 - a.p50)
  for (const { route, count, p50, p99, failed } of lines.slice(0, PRINTED_ROUTES)) {
    say(`${route}: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms of ${count}, ${failed} failed`)
  }
}
