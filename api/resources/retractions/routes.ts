/** REST of retractions: blocks that left the chain after their events were stored. */
import { INT64_MAX } from '../../../domain/amount.ts'
import { variants } from '../../../sql/query.ts'
import { type Route, route } from '../../routing/route.ts'
import { keyOfRetractionCursor, type Order, retractionCursor } from './retraction-key.ts'
import * as schema from './schema.ts'

type Row = {
  slot: number
  blockhash: string | null
  swaps: number
  pool_events: number
  is_applied: boolean
  retracted_at: number
}

const LISTS = variants<Row, Order>('retractions/list_retractions', ['asc', 'desc'])

const list = route({
  path: '/api/v1/retractions',
  operationId: 'listRetractions',
  topic: { listedAt: 160, description: 'Blocks that left the chain' },
  tool: { listedAt: 310 },
  family: 'enveloped',
  summary: 'Blocks that left the chain after their events were stored',
  description:
    'Every answer and every feed is without the events of these blocks. A transaction that landed in another block is ' +
    'stored with that block. How old a block may be that is retracted: /docs/ingest.md, Retractions.',
  parameters: schema.listed,
  answer: schema.retractionList,
  errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'INTERNAL'],
  example: {},
  read: async ({ limit, cursor, order }, db) => {
    const beginning = order === 'asc' ? [-1, ''] : [INT64_MAX, '']
    const after = cursor === undefined ? beginning : keyOfRetractionCursor(order, cursor)
    const rows = await LISTS[order](db, [...after, limit + 1])
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    return {
      success: true as const,
      data: page,
      next_cursor: last === undefined ? null : retractionCursor(order, last),
    }
  },
})

export const retractionRoutes: readonly Route[] = [list]
