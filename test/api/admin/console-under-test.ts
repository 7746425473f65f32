// The API of an installation with streams, queues and a worker, as an operator has it.

import type { ExecutionContext } from 'ava'
import { type Api, type ApiOptions, startApi } from '../../../api/main.ts'
import { openOperations } from '../../../deploy/operations/operations.ts'
import type { Event } from '../../../domain/events/event.ts'
import { encodeEventBatch } from '../../../streams/codec/event-codec.ts'
import { swapSubject } from '../../../streams/nats/subject.ts'
import {
  type Answer,
  type Body,
  documentedSchemas,
  PATIENT,
} from '../../support/api/api-under-test.ts'
import { type JobBench, openJobBench } from '../../support/workers/jobs.ts'
import { openPipeline, type Pipeline, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

export const OPERATOR_KEY = 'a-long-key-of-the-operators'

export type ConsoleUnderTest = {
  pipeline: Pipeline
  bench: JobBench
  api: Api
  /** Sends a request as an operator; GET answers are held against the document. */
  operator(path: string, method?: string): Promise<Answer>
}

export async function consoleUnderTest(
  t: ExecutionContext,
  given: Partial<ApiOptions> = {},
): Promise<ConsoleUnderTest> {
  const pipeline = await openPipeline(t)
  const { databaseUrl, jetStream, topology, recording } = pipeline
  const bench = openJobBench(t)
  const jobs = bench.queue()
  const { log } = recording
  const operations = openOperations({ databaseUrl, jetStream, topology, jobs, log })
  t.teardown(() => operations.close())
  const { redisUrl, prefix } = bench
  const stores = { databaseUrl, redisUrl, prefix, jobs, operations }
  const api = await startApi({
    ...{ ...stores, port: 0, log, adminKey: OPERATOR_KEY },
    ...PATIENT,
    ...given,
  })
  t.teardown(() => api.stop())
  const schemas = await documentedSchemas(api.url)
  return {
    pipeline,
    bench,
    api,
    async operator(path, method = 'GET') {
      const headers = { Authorization: `Bearer ${OPERATOR_KEY}` }
      const response = await fetch(api.url + path, { headers, method })
      const text = await response.text()
      const body = (text === '' ? {} : JSON.parse(text)) as Body
      if (method === 'GET') schemas.check(path, response.status, body)
      return { status: response.status, headers: response.headers, text, body }
    },
  }
}

/** Publishes one swap and a number of poison events; resolves when the pool actor has processed them. */
export async function publishPoison(pipeline: Pipeline, count: number): Promise<void> {
  const { jetStream, prefix, laneCount } = pipeline
  const swap = smallMarket(601, 50).flatMap((event) =>
    event.kind === 'swap' ? [event.swap] : [],
  )[0]
  if (swap === undefined) throw new Error('the market has no swap')
  const good: Event = { kind: 'swap', swap }
  const bad: Event = { kind: 'swap', swap: { ...swap, signature: 'tooShort' } }
  const poison = Array.from({ length: count }, () => bad)
  const subject = swapSubject(prefix, good, laneCount)
  await jetStream.publish(subject, encodeEventBatch([good, ...poison]))
  await untilCaughtUp(pipeline)
}
