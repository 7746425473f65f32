/**
 * All parts of an installation on a stage, as `up` starts them: a worker process for each actor, the job worker, the API;
 * and the latency of swaps by REST.
 *
 * A swap of the sample is looked up 5 ms after its hand-over to the publisher and then at steps of a quarter of its
 * age, so that a latency is at most a quarter too high and slow swaps do not fill the API with look-ups.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { sharedClockMs, WrongResult } from '../measure/sample.ts'
import type { BenchContext } from '../measurement.ts'
import type { PlainClient } from '../plain-client.ts'
import type { ApiGiven, ApiMessage } from '../programs/api-program.ts'
import type { JobsMessage } from '../programs/jobs-program.ts'
import { type Program, startProgram } from '../programs/program.ts'
import type { WorkerMessage } from '../programs/worker-program.ts'
import { type MarketPublisher, startWorkerProgram } from '../publisher.ts'
import { ACTORS } from '../reads/reads.ts'
import type { Stage } from '../stage.ts'

const STEP_MS_MIN = 5
const STEP_SHARE_OF_AGE = 0.25
const LOOK_UP_BOUND_MS = 60_000

export type Installation = {
  url: string
  /** Process ids by part, for a meter. */
  pids: Readonly<Record<string, number>>
  workers: readonly Program<WorkerMessage>[]
  /** Resolves when all three actors have committed so much since the start: moment of the last commit. */
  untilDone(events: number, swaps: number): Promise<number>
  stop(): Promise<void>
}

type InstallationOptions = Pick<ApiGiven, 'natsUrl'> & { sharesWorker?: boolean }

/**
 * Resolves when all parts are ready. `prefix` separates its jobs and rate limits from those of others; `natsUrl`: with
 * feeds, whose streams have the prefix; `sharesWorker`: one worker runs all actors, as by default in `up`.
 */
export async function startInstallation(
  context: BenchContext,
  stage: Stage,
  prefix: string,
  { sharesWorker = false, ...feeds }: InstallationOptions = {},
): Promise<Installation> {
  const { stack, workerFlags } = context
  const shared = { databaseUrl: stage.databaseUrl, redisUrl: stack.redisUrl, prefix }
  const given = { ...shared, ...feeds, requestsJobs: true } satisfies ApiGiven
  const api = startProgram<ApiMessage>('api-program.ts', given, workerFlags)
  const jobs = startProgram<JobsMessage>('jobs-program.ts', shared, workerFlags)
  const ready = api.receive('ready')
  // The API is awaited after the workers.
  ready.catch(() => {})
  const groups = sharesWorker ? [ACTORS] : ACTORS.map((actor) => [actor])
  const workers = await Promise.all(
    groups.map((actors) => startWorkerProgram(stage, workerFlags, actors)),
  )
  const { url } = await ready
  return {
    url,
    pids: {
      ...Object.fromEntries(workers.map(({ pid }, at) => [groups[at]!.join(), pid])),
      jobs: jobs.pid,
      API: api.pid,
    },
    workers,
    async untilDone(events, swaps) {
      const done = workers.map(async (worker, index) => {
        const expected = groups[index]!.map((actor) => [actor, actor === 'pool' ? events : swaps])
        worker.send({ kind: 'expect', events: Object.fromEntries(expected) })
        return (await worker.receive('done')).atMs
      })
      return Math.max(...(await Promise.all(done)))
    },
    stop: async () => {
      await Promise.all([api, jobs, ...workers].map((program) => program.stop()))
    },
  }
}

export type RestLatency = { atMs: number; ms: number }

type RestWatch = {
  /** Waits for all samples until now; returns those handed over from a moment on. */
  since(fromMs: number): Promise<RestLatency[]>
  close(): void
}

/** Watches the samples that the publisher reports, by a key without a rate limit. */
export function watchRest(publisher: MarketPublisher, client: PlainClient, key: string): RestWatch {
  const looked: Promise<RestLatency>[] = []
  const stopListening = publisher.program.listen((message) => {
    if (message.kind !== 'sample') return
    const { atMs } = message
    const latency = untilReadable(client, key, message.signature, atMs).then((ms) => ({ atMs, ms }))
    // The latency is awaited at the end.
    latency.catch(() => {})
    looked.push(latency)
  })
  return {
    since: async (fromMs) => (await Promise.all(looked)).filter(({ atMs }) => atMs >= fromMs),
    close: stopListening,
  }
}

/** Milliseconds from its hand-over to the publisher, whatever the API answers before. */
export async function untilReadable(
  client: PlainClient,
  key: string,
  signature: string,
  atMs: number,
): Promise<number> {
  for (;;) {
    const ageMs = sharedClockMs() - atMs
    await pause(Math.max(STEP_MS_MIN, ageMs * STEP_SHARE_OF_AGE))
    const { status } = await client.get(`/swaps/${signature}`, `X-API-Key: ${key}\r\n`)
    const nowMs = sharedClockMs()
    if (status === 200) return nowMs - atMs
    if (nowMs > atMs + LOOK_UP_BOUND_MS) throw new WrongResult(`${signature}: ${status}`)
  }
}
