/** REST of pool events. Rows are shown as they are read: there is nothing to present. */
import { withFeedCursor } from '../../routing/reading/feed-list.ts'
import { route } from '../../routing/route.ts'
import { eventCursor, eventList, keyOfEventCursor } from './event-key.ts'
import { readPoolEvents } from './read.ts'
import { listed, poolEventList } from './schema.ts'

const list = route({
  path: '/pool-events',
  operationId: 'listPoolEvents',
  topic: { listedAt: 50, description: 'Creations, migrations and liquidity of pools' },
  tool: { listedAt: 290 },
  family: 'enveloped',
  summary: 'Pool events, newest first',
  parameters: listed,
  answer: poolEventList,
  errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
  example: ({ event }) => ({ event: event.kind, limit: 10 }),
  respond: async ({ limit, cursor, order, ...filter }, reading) => {
    const of = eventList(order, filter)
    const after = cursor === undefined ? undefined : keyOfEventCursor(of, cursor)
    return withFeedCursor(reading, async (db) => {
      const page = { limit, order, after }
      const { rows, reached } = await readPoolEvents(db, filter, page, reading.reader.walkMs)
      const nextCursor = reached === undefined ? null : eventCursor(of, reached)
      return { success: true as const, data: rows, next_cursor: nextCursor }
    })
  },
})

export const poolEventRoutes = [list]
