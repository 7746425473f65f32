/** /admin/v1/samples: figures of the console's charts. */
import Type from 'typebox'
import { type Route, route } from '../../routing/route.ts'
import { common } from '../operator-route.ts'
import type { SampleColumns } from './ring.ts'
import type { Samples } from './sampling.ts'
import { type SampleList, sampleList } from './schema.ts'

export function sampleRoutes(samples: Samples): Route[] {
  return [
    route({
      ...common,
      path: '/admin/v1/samples',
      operationId: 'getSamples',
      summary: 'Lag, rates, latencies and errors of the last hour',
      description:
        'Each process of the API samples its metrics for itself, from its start: requests and FEED are its own, the others ' +
        'those of the installation. Requests of operators do not count.',
      parameters: Type.Object({}),
      answer: sampleList,
      example: {},
      respond: async () => presentSamples(samples.columns()),
    }),
  ]
}

function presentSamples({ everyMs, atMs, series }: SampleColumns): SampleList {
  const at = atMs.map((ms) => new Date(ms).toISOString())
  return {
    success: true,
    data: { every_ms: everyMs, at, series: series as SampleList['data']['series'] },
  }
}
