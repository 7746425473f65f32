/** REST of pool events. Rows are shown as they are read: there is nothing to present. */
import type { Static } from 'typebox'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { withFeedCursor } from '../../routing/reading/feed-list.ts'
import { route } from '../../routing/route.ts'
import { eventCursor, eventList, keyOfEventCursor } from './event-key.ts'
import { type EventRead, readPoolEvents } from './read.ts'
import { listed, poolEventList } from './schema.ts'

const list = route({
  path: '/pool-events',
  operationId: 'listPoolEvents',
  isOnPages: true,
  topic: { listedAt: 50, description: 'Creations, migrations and liquidity of pools' },
  tool: { listedAt: 290 },
  family: 'enveloped',
  summary: 'Pool events, newest first',
  parameters: listed,
  answer: poolEventList,
  errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
  example: ({ event }) => ({ event: event.kind, limit: 10 }),
  respond: async (given, reading) => {
    const read = pageOf(given)
    return withFeedCursor(reading, (db) => read(db, { walkMs: reading.reader.walkMs }))
  },
  /** The feed continues `as_of`, not the list. */
  readAsOf: async (given, { db, slot: pastSlot, walkMs }) => ({
    ...(await pageOf(given)(db, { walkMs, pastSlot })),
    feed_cursor: null,
  }),
})

/** Throws ApiError where the cursor is of another list. */
function pageOf({ limit, cursor, order, ...filter }: Static<typeof listed>) {
  const of = eventList(order, filter)
  const after = cursor === undefined ? undefined : keyOfEventCursor(of, cursor)
  return async (db: Queryable, how: EventRead) => {
    const { rows, reached } = await readPoolEvents(db, filter, { limit, order, after }, how)
    const nextCursor = reached === undefined ? null : eventCursor(of, reached)
    return { success: true as const, data: rows, next_cursor: nextCursor }
  }
}

export const poolEventRoutes = [list]
