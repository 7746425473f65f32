/** REST of retractions: blocks that left the chain after their events were stored. */
import { INT64_MAX } from '../../../domain/amount.ts'
import { isAddress } from '../../../domain/numbers/base58.ts'
import { variants } from '../../../sql/query.ts'
import {
  cursorNumber,
  decodeCursor,
  encodeCursor,
  notOfThisList,
} from '../../routing/reading/cursor.ts'
import { type Route, route } from '../../routing/route.ts'
import * as schema from './schema.ts'

type Row = {
  slot: number
  blockhash: string | null
  swaps: number
  pool_events: number
  is_applied: boolean
  retracted_at: number
}

const LISTS = variants<Row, 'asc' | 'desc'>('retractions/list_retractions', ['asc', 'desc'])
const CURSOR_FIELDS = 2

/** Slot and blockhash in the cursor. Throws ApiError INVALID_PARAM. */
function keyOf(order: string, cursor: string): [slot: number, blockhash: string] {
  const [slot = '', blockhash = ''] = decodeCursor(['retraction', order], cursor, CURSOR_FIELDS)
  if (blockhash !== '' && !isAddress(blockhash)) throw notOfThisList()
  return [cursorNumber(slot), blockhash]
}

const list = route({
  path: '/api/v1/retractions',
  family: 'enveloped',
  summary: 'Blocks that left the chain after their events were stored',
  description:
    'Every answer and every feed is without the events of these blocks. A transaction that landed in another block is ' +
    'stored with that block. Blocks of slots more than 2 days before the newest swap are not retracted.',
  parameters: schema.listed,
  answer: schema.retractionList,
  errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'INTERNAL'],
  example: {},
  read: async ({ limit, cursor, order }, db) => {
    const beginning = order === 'asc' ? [-1, ''] : [INT64_MAX, '']
    const after = cursor === undefined ? beginning : keyOf(order, cursor)
    const rows = await LISTS[order](db, [...after, limit + 1])
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    const key = last && [last.slot, last.blockhash ?? '']
    return {
      success: true as const,
      data: page,
      next_cursor: key === undefined ? null : encodeCursor(['retraction', order], key),
    }
  },
})

export const retractionRoutes: readonly Route[] = [list]
