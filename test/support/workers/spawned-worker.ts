/** Starts support/worker.ts as a child process, and reports its output and its exit. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ExecutionContext } from 'ava'
import { procStat, STATE } from '../../../deploy/local/proc-stat.ts'
import type { MarketEvent } from '../../../domain/events/event.ts'
import { lagOf, type Pipeline, publishAll, until } from './pipeline.ts'
import type { Fault } from './worker.ts'

export type WorkerProcess = {
  pid: number
  lines: string[]
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>
  hasEnded(): boolean
  signal(signal: NodeJS.Signals): void
  /** Resolves when a line begins so. */
  untilSaid(beginning: string, boundMs?: number): Promise<void>
  /** Resolves when the process is stopped by SIGSTOP. */
  untilFrozen(boundMs?: number): Promise<void>
}

const WORKER = join(import.meta.dirname, 'worker.ts')

/** A worker that ends with the test at the latest. */
export async function spawnWorker(
  t: ExecutionContext,
  pipeline: Pipeline,
  options: { leaseMs?: number; fault?: Fault; actors?: readonly string[] } = {},
): Promise<WorkerProcess> {
  const { databaseUrl, natsUrl, prefix, laneCount } = pipeline
  const requested = { databaseUrl, natsUrl, prefix, laneCount, leaseMs: 1_500, ...options }
  const child = spawn(process.execPath, [WORKER, JSON.stringify(requested)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output }).on('line', (line) => {
      lines.push(line)
      pipeline.recording.lines.push(`[${child.pid}] ${line}`)
    })
  }
  let isRunning = true
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    // After all of its output.
    child.once('close', (code, signal) => {
      isRunning = false
      resolve(signal ?? code)
    })
  })
  const { pid } = child
  if (pid === undefined) throw new Error('the worker process did not start')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const withLines = (cause: Error): never => {
    throw new Error(`${cause.message}; it said:\n${lines.slice(-15).join('\n')}`, { cause })
  }
  const started: WorkerProcess = {
    pid,
    lines,
    ended,
    hasEnded: () => !isRunning,
    signal: (signal) => child.kill(signal),
    untilSaid: (beginning, boundMs = 60_000) =>
      until(`a worker says "${beginning}"`, boundMs, () =>
        lines.some((line) => line.startsWith(beginning)),
      ).catch(withLines),
    untilFrozen: (boundMs = 60_000) =>
      until('the worker is frozen', boundMs, () => stateOf(pid) === 'T').catch(withLines),
  }
  // With pending work its injected crash may occur before it is ready.
  await until('a worker starts', 60_000, () =>
    lines.some((line) => line === 'ready' || line === 'fault'),
  ).catch(withLines)
  return started
}

/**
 * Publishes part after part, each when the earlier ones are consumed, or the injected crash of the worker has occurred:
 * so a worker, which micro-batches close messages, makes a commit of each.
 */
export async function publishApart(
  pipeline: Pipeline,
  events: readonly MarketEvent[],
  given: Taking & { eventsMax: number },
): Promise<void> {
  const { eventsMax } = given
  for (let from = 0; from < events.length; from += 2 * eventsMax) {
    await publishAll(pipeline, events.slice(from, from + 2 * eventsMax), { eventsMax })
    await untilTaken(pipeline, given)
  }
}

type Taking = { worker: WorkerProcess; lag?: (pipeline: Pipeline) => Promise<string> }

/** All that was published is committed, or the injected crash of the worker has occurred. */
export async function untilTaken(
  pipeline: Pipeline,
  { worker, lag = lagOf }: Taking,
): Promise<void> {
  const isOver = () => worker.hasEnded() || worker.lines.includes('fault')
  await until('the part is committed', 60_000, async () => {
    return isOver() || (await lag(pipeline).catch(() => 'unknown')) === ''
  })
}

/** R, S, T (stopped), Z ... of proc(5). */
function stateOf(pid: number): string {
  const stat = procStat(pid)
  if (stat === undefined) throw new Error(`process ${pid} is gone`)
  return stat(STATE)
}
