/**
 * The long run: the market over and over through the pipeline for as long as asked, with what it leaves
 * behind it; the publisher stays some seconds of work ahead of the worker, no more. It must show that
 * nothing grows but the tables: rates by tenths of the time, messages that the slowest lane has not
 * committed, memory of each program.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { swapHead } from '../../streams/topology.ts'
import { type BenchContext, sharedClockMs, WrongResult } from './measurement.ts'
import { order, startWorkerProgram } from './publisher.ts'
import type { Stage } from './stage.ts'

/** One line a tenth of the run. */
const PARTS = 10
const SETTLE_BOUND_MS = 120_000
const TELL_EVERY_MS = 500

export type SoakPart = {
  part: number
  swapsPerSecond: number
  swaps: number
  lagMessages: number
  workerMib: number
  publisherMib: number
  natsMib: number
}

/** Rejects when swaps are missing at the end. */
export function soak(context: BenchContext, minutes: number): Promise<SoakPart[]> {
  return context.stages.use((stage) => run(context, stage, minutes))
}

async function run(context: BenchContext, stage: Stage, minutes: number): Promise<SoakPart[]> {
  const publisher = await context.publisher()
  const worker = await startWorkerProgram(stage, context.workerFlags)
  const partMs = (minutes * 60_000) / PARTS
  const parts: SoakPart[] = []
  worker.listen((said) => {
    if (said.kind === 'state') publisher.program.tell({ kind: 'committed', events: said.events })
  })
  const telling = setInterval(() => worker.tell({ kind: 'state' }), TELL_EVERY_MS)
  try {
    const published = order(publisher, stage, { run: 'soak', laps: Number.MAX_SAFE_INTEGER })
    let before = { atMs: sharedClockMs(), events: 0 }
    for (let part = 1; part <= PARTS; part++) {
      await pause(partMs)
      const states = Promise.all([worker.hear('state'), publisher.program.hear('state')])
      worker.tell({ kind: 'state' })
      publisher.program.tell({ kind: 'state' })
      const [state, source] = await states
      const atMs = sharedClockMs()
      const rate = ((state.events - before.events) * 1000) / (atMs - before.atMs)
      before = { atMs, events: state.events }
      parts.push({
        part,
        swapsPerSecond: rate,
        swaps: state.events,
        lagMessages: await lag(stage),
        workerMib: mib(state.rssBytes),
        publisherMib: mib(source.rssBytes),
        natsMib: mib(residentBytes(context.stack.servers.nats.pid ?? 0)),
      })
      context.say(describe(parts.at(-1)!))
    }
    publisher.program.tell({ kind: 'enough' })
    const { swaps } = await published
    await untilStored(stage, swaps)
    return parts
  } finally {
    clearInterval(telling)
    await worker.stop()
  }
}

/** Messages of SWAP that the slowest lane has still to commit. */
async function lag({ jetStream, topology, db }: Stage): Promise<number> {
  const { rows } = await db.query<{ lane: number; sequence: number }>(
    "select lane, sequence from checkpoint where actor = 'pool'",
  )
  const lags = await Promise.all(
    rows.map(async ({ lane, sequence }) => (await swapHead(jetStream, topology, lane)) - sequence),
  )
  return Math.max(0, ...lags)
}

async function untilStored({ db }: Stage, swaps: number): Promise<void> {
  const boundMs = sharedClockMs() + SETTLE_BOUND_MS
  for (;;) {
    const { rows } = await db.query<{ swaps: number }>(
      "select coalesce(sum(accepted), 0)::bigint as swaps from ingest_run where id = 'soak'",
    )
    const stored = rows[0]?.swaps ?? 0
    if (stored === swaps) return
    if (sharedClockMs() > boundMs) throw new WrongResult(`${stored} of ${swaps} swaps stored`)
    await pause(500)
  }
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}

const mib = (bytes: number): number => Math.round(bytes / 2 ** 20)
const grouped = (value: number): string => Math.round(value).toLocaleString('en-US')

function describe(part: SoakPart): string {
  return (
    `${part.part}/${PARTS}: ${grouped(part.swapsPerSecond)} events/s, ${grouped(part.swaps)} so far, ` +
    `lag ${grouped(part.lagMessages)} messages, MiB: worker ${part.workerMib}, ` +
    `publisher ${part.publisherMib}, NATS ${part.natsMib}`
  )
}

export function soakTable(parts: readonly SoakPart[], intro: string): string {
  return [
    `${intro} The long run, tenth by tenth.`,
    '',
    '| events so far | events/s | lag, messages | worker MiB | publisher MiB | NATS MiB |',
    '| ---: | ---: | ---: | ---: | ---: | ---: |',
    ...parts.map(
      (part) =>
        `| ${grouped(part.swaps)} | ${grouped(part.swapsPerSecond)} | ${grouped(part.lagMessages)} ` +
        `| ${part.workerMib} | ${part.publisherMib} | ${part.natsMib} |`,
    ),
    '',
  ].join('\n')
}
