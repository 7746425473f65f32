/**
 * The long run: the market over and over through pool, ledger and ranking for the requested time, with its remains; the
 * publisher stays some seconds of work ahead of the slowest, no more. It must show that only the tables grow: rates and
 * CPU by tenths of the time, messages that the slowest lane of each actor has not committed, memory of each program.
 * Then swaps are looked up among all of them.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { listLanes } from '../../deploy/operations/lanes.ts'
import { signaturesOfLaps } from '../market/lap.ts'
import { marketEvents } from '../market/market.ts'
import { startMeter } from '../measure/cpu.ts'
import { sharedClockMs, WrongResult } from '../measure/sample.ts'
import type { BenchContext } from '../measurement.ts'
import type { Program } from '../programs/program.ts'
import type { WorkerMessage } from '../programs/worker-program.ts'
import { order, startWorkerProgram } from '../publisher.ts'
import { type LookUps, lookUpAll } from '../reads/look-up.ts'
import type { Stage } from '../stage.ts'
import { untilNoneWaits, verifyLedger } from './ledger.ts'

/** One line a tenth of the run. */
const PARTS = 10
const SETTLE_BOUND_MS = 120_000
const REPORT_INTERVAL_MS = 500
const ACTORS = ['pool', 'ledger', 'ranking'] as const

type ByActor = Record<(typeof ACTORS)[number], number>

type SoakPart = {
  part: number
  swapsPerSecond: number
  /** Swaps that the slowest actor has committed. */
  swaps: number
  /** Microseconds of CPU a swap, all programs together. */
  microsPerSwap: number
  lagMessages: ByActor
  workerMib: ByActor
  publisherMib: number
  natsMib: number
  tablesGib: number
}

type Soak = { parts: SoakPart[]; stored: number; lookUps: LookUps }

type Workers = Record<(typeof ACTORS)[number], Program<WorkerMessage>>
type WorkerState = Extract<WorkerMessage, { kind: 'state' }>

/** Rejects when swaps are missing at the end, in the tables or in positions. */
export function soak(context: BenchContext, minutes: number): Promise<Soak> {
  return context.stages.use(async (stage) => {
    const started = await Promise.all(
      ACTORS.map((actor) => startWorkerProgram(stage, context.workerFlags, [actor])),
    )
    const [pool, ledger, ranking] = started
    try {
      const workers = { pool: pool!, ledger: ledger!, ranking: ranking! }
      const { parts, stored } = await run(context, stage, workers, minutes)
      await Promise.all(started.map((worker) => worker.stop()))
      const laps = Math.max(1, Math.floor(stored / (await context.publisher()).swaps))
      const signatures = signaturesOfLaps(marketEvents(context.swaps), laps)
      const lookUps = await lookUpAll(context, stage, signatures)
      return { parts, stored, lookUps }
    } finally {
      await Promise.all(started.map((worker) => worker.stop()))
    }
  })
}

async function run(
  context: BenchContext,
  stage: Stage,
  workers: Workers,
  minutes: number,
): Promise<{ parts: SoakPart[]; stored: number }> {
  const publisher = await context.publisher()
  const states = new Map<string, WorkerState>()
  for (const actor of ACTORS) {
    workers[actor].listen((message) => {
      if (message.kind === 'state') states.set(actor, message)
      publisher.program.send({ kind: 'committed', events: slowest(states) })
    })
  }
  const requestStates = () => {
    for (const actor of ACTORS) workers[actor].send({ kind: 'state' })
  }
  const timer = setInterval(requestStates, REPORT_INTERVAL_MS)
  try {
    const published = order(publisher, stage, { run: 'soak', laps: Number.MAX_SAFE_INTEGER })
    const meterPids = {
      ...Object.fromEntries(ACTORS.map((actor) => [actor, workers[actor].pid])),
      publisher: publisher.program.pid,
      PostgreSQL: context.stack.servers.postgres.pid,
      NATS: context.stack.servers.nats.pid,
    }
    const parts: SoakPart[] = []
    let before = { atMs: sharedClockMs(), swaps: 0 }
    for (let part = 1; part <= PARTS; part++) {
      const meter = startMeter(meterPids)
      await pause((minutes * 60_000) / PARTS)
      publisher.program.send({ kind: 'state' })
      const source = await publisher.program.receive('state')
      const swaps = slowest(states)
      const done = Math.max(1, swaps - before.swaps)
      const atMs = sharedClockMs()
      parts.push({
        part,
        swapsPerSecond: (done * 1000) / (atMs - before.atMs),
        swaps,
        microsPerSwap: Object.values(meter.perSwap(done)).reduce((sum, micros) => sum + micros, 0),
        lagMessages: await lag(stage),
        workerMib: byActor((actor) => mib(states.get(actor)?.rssBytes ?? 0)),
        publisherMib: mib(source.rssBytes),
        natsMib: mib(residentBytes(context.stack.servers.nats.pid ?? 0)),
        tablesGib: await tablesGib(stage),
      })
      before = { atMs, swaps }
      context.say(describe(parts.at(-1)!))
    }
    publisher.program.send({ kind: 'enough' })
    const { swaps } = await published
    await untilAll(stage, swaps)
    await untilNoneWaits(stage, sharedClockMs())
    await verifyLedger(stage, swaps)
    return { parts, stored: swaps }
  } finally {
    clearInterval(timer)
  }
}

const byActor = (of: (actor: keyof ByActor) => number): ByActor => ({
  pool: of('pool'),
  ledger: of('ledger'),
  ranking: of('ranking'),
})

/** Events that all actors have committed. */
function slowest(states: ReadonlyMap<string, WorkerState>): number {
  return Math.min(...ACTORS.map((actor) => states.get(actor)?.events ?? 0))
}

/** Messages that the slowest lane of each actor has still to commit. */
async function lag({ db, jetStream, topology }: Stage): Promise<ByActor> {
  const lanes = await listLanes(db, jetStream, topology)
  return byActor((actor) =>
    Math.max(0, ...lanes.filter((lane) => lane.actor === actor).map((lane) => lane.lag)),
  )
}

async function tablesGib({ db }: Stage): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>(
    'select pg_database_size(current_database())::float8 as bytes',
  )
  return (rows[0]?.bytes ?? 0) / 2 ** 30
}

/** Until every swap is stored, and all actors have read all. */
async function untilAll(stage: Stage, swaps: number): Promise<void> {
  const boundMs = sharedClockMs() + SETTLE_BOUND_MS
  for (;;) {
    const { rows } = await stage.db.query<{ swaps: number }>(
      "select coalesce(sum(accepted), 0)::bigint as swaps from ingest_run where id = 'soak'",
    )
    const stored = rows[0]?.swaps ?? 0
    const left = Object.values(await lag(stage)).reduce((sum, messages) => sum + messages, 0)
    if (stored === swaps && left === 0) return
    if (sharedClockMs() > boundMs) {
      throw new WrongResult(`${stored} of ${swaps} swaps stored, ${left} messages left`)
    }
    await pause(500)
  }
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}

const mib = (bytes: number): number => Math.round(bytes / 2 ** 20)
const grouped = (value: number): string => Math.round(value).toLocaleString('en-US')
const slashed = (values: ByActor): string =>
  ACTORS.map((actor) => grouped(values[actor])).join(' / ')

function describe(part: SoakPart): string {
  return (
    `${part.part}/${PARTS}: ${grouped(part.swapsPerSecond)} swaps/s at ${part.microsPerSwap.toFixed(1)} us, ` +
    `${grouped(part.swaps)} so far, lag ${slashed(part.lagMessages)} messages, ` +
    `MiB: workers ${slashed(part.workerMib)}, publisher ${part.publisherMib}, NATS ${part.natsMib}; ` +
    `tables ${part.tablesGib.toFixed(1)} GiB`
  )
}

export function soakTable({ parts, stored, lookUps }: Soak, intro: string): string {
  return [
    `${intro} The long run with ledger and ranking, tenth by tenth.`,
    '',
    '| swaps so far | swaps/s | CPU, us a swap | lag of pool / ledger / ranking, messages | the same, MiB | publisher MiB | NATS MiB | tables GiB |',
    '| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...parts.map(
      (part) =>
        `| ${grouped(part.swaps)} | ${grouped(part.swapsPerSecond)} | ${part.microsPerSwap.toFixed(1)} ` +
        `| ${slashed(part.lagMessages)} | ${slashed(part.workerMib)} ` +
        `| ${part.publisherMib} | ${part.natsMib} | ${part.tablesGib.toFixed(1)} |`,
    ),
    '',
    `GET /swaps/{signature} among ${grouped(stored)}: p50 ${lookUps.p50Ms.toFixed(2)} ms, p99 ${lookUps.p99Ms.toFixed(2)} ms.`,
    '',
  ].join('\n')
}
