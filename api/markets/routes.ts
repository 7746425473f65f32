/** REST of the market as a whole. */
import { type Route, route } from '../route.ts'
import { presentProtocols } from './present.ts'
import { readVenues } from './read.ts'
import * as schema from './schema.ts'

const errors = ['GATEWAY_TIMEOUT', 'INTERNAL'] as const
/** Seconds that totals are kept. */
const KEPT_SECONDS = 5

const protocols = route({
  path: '/api/v1/protocols',
  family: 'enveloped',
  summary: 'The ten venues, with what they traded in 24 hours',
  description:
    'All of them in the order of DexId. 24 hours are the 1,440 whole minutes that end with the newest ' +
    'indexed swap. Swaps count for the venue that they name, a pool for that of its newest swap. An ' +
    `answer is at most ${KEPT_SECONDS} s old.`,
  parameters: schema.ofNothing,
  answer: schema.protocols,
  errors,
  example: {},
  cacheSeconds: KEPT_SECONDS,
  read: async (_, db) => presentProtocols(await readVenues(db)),
})

export const marketRoutes: readonly Route[] = [protocols]
