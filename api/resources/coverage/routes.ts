/** REST of coverage: which slots of the chain were read. */
import { type Route, route } from '../../routing/route.ts'
import { presentCoverage } from './present.ts'
import { readCoverage } from './read.ts'
import * as schema from './schema.ts'

/** Seconds that coverage is cached: sources record it every second. */
const CACHE_SECONDS = 2

const coverage = route({
  path: '/api/v1/coverage',
  operationId: 'getCoverage',
  topic: { listedAt: 150, description: 'Slots that were read from the chain' },
  tool: { listedAt: 300 },
  family: 'enveloped',
  summary: 'Which slots of which venues were read from the chain',
  description:
    'All events of the venues in the slots of a range are stored, and slots without a block were skipped by the chain. ' +
    'Gaps lie between the first and the last slot of a venue; complete_since follows the last one. Swaps that were ingested as ' +
    `lines are not part of it: without a source of chain data both lists are empty. An answer is at most ${CACHE_SECONDS} s old.`,
  parameters: schema.ofNothing,
  answer: schema.coverage,
  errors: ['GATEWAY_TIMEOUT', 'INTERNAL'],
  example: {},
  cacheSeconds: CACHE_SECONDS,
  read: async (_, db) => ({
    success: true as const,
    data: presentCoverage(await readCoverage(db)),
  }),
})

export const coverageRoutes: readonly Route[] = [coverage]
