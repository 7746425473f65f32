/** A worker within the test's own process, stopped when the test has ended. */
import type { ExecutionContext } from 'ava'
import type { Registry } from 'prom-client'
import { startWorker, type Worker } from '../../../workers/main.ts'
import type { StepHook } from '../../../workers/runtime/actor.ts'
import type { Pipeline } from './pipeline.ts'

export type RunningWorker = Worker & {
  /** The error that ended it by itself, if any. */
  failure(): Error | undefined
}

export async function runWorker(
  t: ExecutionContext,
  pipeline: Pipeline,
  options: {
    leaseMs?: number
    commitEveryMs?: number
    blockWaitMs?: number
    onStep?: StepHook
    swapMaxBytes?: number
    actors?: readonly string[]
    metrics?: Registry
  } = {},
): Promise<RunningWorker> {
  const { databaseUrl, natsUrl, prefix, laneCount, recording } = pipeline
  const worker = await startWorker({
    databaseUrl,
    natsUrl,
    prefix,
    laneCount,
    actors: ['pool'],
    log: recording.log,
    // Longer than a loaded machine delays a process's heartbeat.
    leaseMs: 12_000,
    // Many small commits.
    commitEveryMs: 0,
    ...options,
  })
  let failure: Error | undefined
  worker.failed.catch((error: Error) => {
    failure = error
    recording.log.error({ err: error }, 'a worker ended')
  })
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= worker.stop()
    return stopping
  }
  t.teardown(stop)
  return { failed: worker.failed, stop, failure: () => failure }
}
