/** The real events of `test/data/`, through the whole pipeline; judged by their own text. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pricePerToken } from '../../../domain/amount.ts'
import type { Event } from '../../../domain/events/event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { parseEvent } from '../../../streams/ingest/contract.ts'
import { createPublisher } from '../../../streams/ingest/publisher.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { fileSource } from '../../../streams/sources/file.ts'
import { runSource } from '../../../streams/sources/run-source.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { assertExact } from '../../simulation/judge.ts'
import { exactQuotient } from '../../simulation/models/exact.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const FOLDER = join(import.meta.dirname, '../../data')
const CURVE = { name: 'venue_1_2025-09.ndjson', dex: 1, swaps: 1_498, tokens: 3 }
const BLOCK = { name: 'venue_3_block_285000037.ndjson', dex: 3, swaps: 114, tokens: 0 }
const FILES = [CURVE, BLOCK]

async function ingestFile(t: ExecutionContext, pipeline: Pipeline, name: string): Promise<void> {
  const { jetStream, topology, laneCount, prefix, recording } = pipeline
  const publisher = createPublisher(jetStream, topology, { log: recording.log })
  const report = await runSource(fileSource({ path: join(FOLDER, name), now: Date.now }), {
    publish: publisher.publish,
    laneCount,
    prefix,
    signal: new AbortController().signal,
    onNotice: ({ at, reasons }) => t.fail(`${at} ${JSON.stringify(reasons)}`),
  })
  publisher.close()
  t.is(report.refused, 0)
}

function eventsOf(name: string): Event[] {
  return readFileSync(join(FOLDER, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const parsed = parseEvent(line, Date.now())
      return 'event' in parsed ? [parsed.event] : []
    })
}

function shuffled(events: readonly Event[], seed: number): Event[] {
  const prng = new Prng([seed])
  return events
    .map((event) => ({ event, at: prng.unit() }))
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event)
}

async function hashes(pipeline: Pipeline): Promise<string[]> {
  const { tables } = await verify(pipeline.db, { log: pipeline.recording.log })
  return tables.map(({ name, stored }) => `${name} ${stored}`)
}

test('the real files end in as many rows, with impacts as they must be', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  for (const { name } of FILES) await ingestFile(t, pipeline, name)
  await untilCaughtUp(pipeline)
  await assertExact(t, pipeline)
  const counted = await pipeline.db.query(
    `select dex, count(*)::integer as swaps, count(price_impact_bps)::integer as impacts,
       min(price_impact_bps)::integer as least, max(price_impact_bps)::integer as greatest
     from swap group by dex order by dex`,
  )
  t.deepEqual(counted.rows[0], {
    dex: 1,
    swaps: 1_498,
    impacts: 1_485,
    least: -1_252,
    greatest: 0,
  })
  t.like(counted.rows[1], { dex: 3, swaps: 114 })
  t.is(counted.rows.length, 2)
})

test('the real files twice and shuffled end in the same tables', async (t) => {
  const once = await openPipeline(t)
  await runWorker(t, once)
  for (const { name } of FILES) await ingestFile(t, once, name)
  await untilCaughtUp(once)

  const twice = await openPipeline(t)
  await runWorker(t, twice)
  const events = FILES.flatMap(({ name }) => eventsOf(name))
  await publishAll(twice, shuffled(events, 1), { eventsMax: 7 })
  await publishAll(twice, shuffled(events, 2), { eventsMax: 50 })
  await untilCaughtUp(twice)
  t.deepEqual(await hashes(twice), await hashes(once))
  await assertExact(t, twice)
})

test('every price per token is the correctly rounded quotient', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  for (const { name } of FILES) await ingestFile(t, pipeline, name)
  await untilCaughtUp(pipeline)
  const { rows } = await pipeline.db.query<Pick<Swap, 'solAmount' | 'tokenAmount'>>(
    'select sol_amount as "solAmount", token_amount as "tokenAmount" from swap',
  )
  t.is(rows.length, 1_498 + 114)
  for (const { solAmount, tokenAmount } of rows) {
    const exact = exactQuotient(BigInt(solAmount), BigInt(tokenAmount))
    t.is(pricePerToken(solAmount, tokenAmount), exact, `${solAmount} / ${tokenAmount}`)
  }
})
