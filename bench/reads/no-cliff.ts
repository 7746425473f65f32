/**
 * 1,000 swaps/s and 100 mixed reads/s while another program takes one core at the same priority: lanes that changed
 * their owner, reads that failed, their p99, and how long swaps take from the publisher until REST has them.
 *
 * The load is open. Every 40th swap is looked up by REST, every 5 ms until it is there, which is part of the API's work.
 */
import { setTimeout as pause } from 'node:timers/promises'
import {
  type BenchContext,
  type Measurement,
  quantile,
  type Sample,
  sharedClockMs,
  WrongResult,
} from '../measurement.ts'
import { order, startWorkerProgram } from '../pipeline/publisher.ts'
import { openPlainClient, type PlainClient } from '../plain-client.ts'
import type { ApiGiven, ApiSaid } from '../programs/api-program.ts'
import type { BusySaid } from '../programs/busy-program.ts'
import type { JobsSaid } from '../programs/jobs-program.ts'
import { startProgram } from '../programs/program.ts'
import type { Stage } from '../stage.ts'
import { openReadRequests } from './read-requests.ts'
import { ACTORS, makeKeys, read, store, untilFolded } from './reads.ts'

const SWAPS_PER_SECOND = 1_000
const READS_PER_SECOND = 100
const WARM_UP_SECONDS = 5
const STORED = 20_000
const SAMPLE_EVERY = 40
const LOOK_UP_EVERY_MS = 5
const LOOK_UP_BOUND_MS = 60_000
const PREFIX = 'cliff.'

const under = '1,000 swaps/s and 100 reads/s beside a busy core'
const LOST = `lanes lost at ${under}`
const FAILED = `reads failed at ${under}`
const TO_REST = `published -> readable by REST at ${under}, p99`
const READS = `reads at ${under}, p99`

export const noCliff: Measurement = {
  name: 'no-cliff',
  needsStack: true,
  figures: [
    { figure: LOST, unit: 'lanes', goal: '0' },
    { figure: FAILED, unit: 'requests', goal: '0' },
    { figure: TO_REST, unit: 'ms', goal: '<= 250' },
    { figure: READS, unit: 'ms', goal: '<= 250' },
  ],
  round: (context) => context.stages.use((stage) => play(context, stage)),
}

async function play(context: BenchContext, stage: Stage): Promise<Sample[]> {
  const flags = context.workerFlags
  const { redisUrl } = context.stack
  const shared = { databaseUrl: stage.databaseUrl, redisUrl, prefix: PREFIX }
  const workers = await Promise.all(
    ACTORS.map((actor) => startWorkerProgram(stage, flags, [actor])),
  )
  const jobs = startProgram<JobsSaid>('jobs-program.ts', shared, flags)
  const given = { ...shared, asksJobs: true } satisfies ApiGiven
  const api = startProgram<ApiSaid>('api-program.ts', given, flags)
  const programs: { stop(): Promise<void> }[] = [api, jobs, ...workers]
  try {
    const { url } = await api.hear('ready')
    await store(context, stage, workers, STORED)
    await untilFolded(stage)
    await stage.db.query('analyze')
    const busy = startProgram<BusySaid>('busy-program.ts', {})
    programs.push(busy)
    await busy.hear('ready')
    return await load(context, stage, url)
  } finally {
    await Promise.all(programs.map((program) => program.stop()))
  }
}

async function load(context: BenchContext, stage: Stage, url: string): Promise<Sample[]> {
  const publisher = await context.publisher()
  const { next } = await openReadRequests(stage.db, url)
  const keys = await makeKeys(stage)
  const client = openPlainClient(url)
  const lookedUp: Promise<number>[] = []
  let isCounted = false
  const deafen = publisher.program.listen((said) => {
    if (said.kind !== 'sample' || !isCounted) return
    const ms = untilReadable(client, keys[0] ?? '', said.signature, said.atMs)
    // It is awaited at the end.
    ms.catch(() => {})
    lookedUp.push(ms)
  })
  try {
    const published = order(publisher, stage, {
      run: 'cliff',
      swapsPerSecond: SWAPS_PER_SECOND,
      sampleEvery: SAMPLE_EVERY,
      lap: 1,
    })
    const ask = { client, next, keys, readsPerSecond: READS_PER_SECOND }
    await read(ask, WARM_UP_SECONDS)
    const epochs = await epochsOf(stage)
    isCounted = true
    const took = await read(ask, context.seconds)
    isCounted = false
    const endMs = sharedClockMs()
    publisher.program.tell({ kind: 'enough' })
    const toRest = await Promise.all(lookedUp)
    const { toMs } = await published
    if (toMs < endMs)
      throw new WrongResult('the market ended before the reads: give it more --swaps')
    const failed = took.filter(({ status }) => status >= 500 || status === 0 || status === 429)
    const msOfReads = took.map(({ ms }) => ms)
    for (const { ask: asked, status } of failed) context.say(`${status}: ${asked.path}`)
    return [
      { figure: LOST, value: (await epochsOf(stage)) - epochs },
      { figure: FAILED, value: failed.length },
      { figure: TO_REST, value: quantile(toRest, 0.99) },
      {
        figure: READS,
        value: quantile(msOfReads, 0.99),
      },
    ]
  } finally {
    deafen()
    client.close()
  }
}

/** Grows by one with each lane that another owner takes, or its owner takes again after it lost it. */
async function epochsOf({ db }: Stage): Promise<number> {
  const { rows } = await db.query<{ epochs: number }>(
    'select sum(epoch)::integer as epochs from checkpoint',
  )
  return rows[0]?.epochs ?? 0
}

/** Milliseconds from its hand-over to the publisher, whatever the API answers before. */
async function untilReadable(
  client: PlainClient,
  key: string,
  signature: string,
  atMs: number,
): Promise<number> {
  for (;;) {
    const { status } = await client.get(`/swaps/${signature}`, `X-API-Key: ${key}\r\n`)
    if (status === 200) return sharedClockMs() - atMs
    if (sharedClockMs() > atMs + LOOK_UP_BOUND_MS) throw new WrongResult(`${signature}: ${status}`)
    await pause(LOOK_UP_EVERY_MS)
  }
}
