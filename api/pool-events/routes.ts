/** REST of pool events. Rows are shown as they are read: there is nothing to present. */
import { withFeedCursor } from '../feed/list-cursor.ts'
import { route } from '../route.ts'
import { eventCursor } from './event-key.ts'
import { readPoolEvents } from './read.ts'
import { listed, poolEventList } from './schema.ts'

const PAIR = '7qbRF6YsyGuLUVs6Y1q64bdVrfe4ZcUUz1JRdoVNUJnm'

const list = route({
  path: '/pool-events',
  family: 'enveloped',
  summary: 'What happened to pools, newest first',
  parameters: listed,
  answer: poolEventList,
  errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
  example: { pair_address: PAIR, event: 'migrated' },
  respond: async ({ limit, cursor, order, ...filter }, reading) =>
    withFeedCursor(reading, async (db) => {
      const page = { limit, order, ...(cursor === undefined ? {} : { cursor }) }
      const { rows, reached } = await readPoolEvents(db, filter, page, reading.reader.walkMs)
      const nextCursor = reached === undefined ? null : eventCursor(reached)
      return { success: true as const, data: rows, next_cursor: nextCursor }
    }),
})

export const poolEventRoutes = [list]
