/**
 * 1,000 swaps/s and 100 mixed reads/s while another program takes one core at the same priority: lanes that changed
 * their owner, reads that failed, their p99, and how long swaps take from the publisher until REST has them.
 *
 * The load is open. Every 40th swap is looked up by REST until it is there, which is part of the API's work.
 */
import { quantileMs, type Sample, sharedClockMs, WrongResult } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import { openPlainClient } from '../plain-client.ts'
import type { BusyMessage } from '../programs/busy-program.ts'
import { type Program, startProgram } from '../programs/program.ts'
import { order } from '../publisher.ts'
import { openReadRequests } from '../reads/read-requests.ts'
import { makeKeys, read, store, untilFolded } from '../reads/reads.ts'
import type { Stage } from '../stage.ts'
import { startInstallation, watchRest } from './installation.ts'

const SWAPS_PER_SECOND = 1_000
const READS_PER_SECOND = 100
const WARM_UP_SECONDS = 5
const STORED = 20_000
const SAMPLE_EVERY = 40
const PREFIX = 'cliff.'

const under = '1,000 swaps/s and 100 reads/s alongside a busy core'
const LOST = `lanes lost at ${under}`
const FAILED = `reads failed at ${under}`
const TO_REST = `published -> readable by REST at ${under}, p99`
const READS = `reads at ${under}, p99`

export const noCliff: Measurement = {
  name: 'no-cliff',
  figures: [
    { figure: LOST, unit: 'lanes', goal: '0' },
    { figure: FAILED, unit: 'requests', goal: '0' },
    { figure: TO_REST, unit: 'ms', goal: '<= 250' },
    { figure: READS, unit: 'ms', goal: '<= 250' },
  ],
  round: (context) => context.stages.use((stage) => play(context, stage)),
}

async function play(context: BenchContext, stage: Stage): Promise<Sample[]> {
  const installation = await startInstallation(context, stage, PREFIX)
  let busy: Program<BusyMessage> | undefined
  try {
    await store(context, stage, installation.workers, STORED)
    await untilFolded(stage)
    await stage.db.query('analyze')
    busy = startProgram<BusyMessage>('busy-program.ts', {})
    await busy.receive('ready')
    return await load(context, stage, installation.url)
  } finally {
    await Promise.all([installation.stop(), busy?.stop()])
  }
}

async function load(context: BenchContext, stage: Stage, url: string): Promise<Sample[]> {
  const publisher = await context.publisher()
  const { next } = await openReadRequests(stage.db, url)
  const [[watchKey = ''], keys] = await Promise.all([
    makeKeys(stage, 'enterprise'),
    makeKeys(stage),
  ])
  const client = openPlainClient(url)
  const watch = watchRest(publisher, client, watchKey)
  try {
    const published = order(publisher, stage, {
      run: 'cliff',
      swapsPerSecond: SWAPS_PER_SECOND,
      sampleEvery: SAMPLE_EVERY,
      lap: 1,
    })
    const readLoad = { client, next, keys, readsPerSecond: READS_PER_SECOND }
    await read(readLoad, WARM_UP_SECONDS)
    const epochs = await epochsOf(stage)
    const fromMs = sharedClockMs()
    const took = await read(readLoad, context.seconds)
    const endMs = sharedClockMs()
    publisher.program.send({ kind: 'enough' })
    const toRest = await watch.since(fromMs)
    const { toMs } = await published
    if (toMs < endMs)
      throw new WrongResult('the market ended before the reads: give it more --swaps')
    const failed = took.filter(({ status }) => status >= 500 || status === 0 || status === 429)
    for (const { request, status } of failed) context.say(`${status}: ${request.path}`)
    return [
      { figure: LOST, value: (await epochsOf(stage)) - epochs },
      { figure: FAILED, value: failed.length },
      { figure: TO_REST, value: quantileMs(toRest, 0.99) },
      { figure: READS, value: quantileMs(took, 0.99) },
    ]
  } finally {
    watch.close()
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
