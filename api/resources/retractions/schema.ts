/** Retractions: the fields of a row, and the parameters of the list. */
import Type from 'typebox'
import { count, cursor, int64, limit, nullable, order, pagedList } from '../../routing/schema.ts'

const LIMIT_MAX = 1000
const LIMIT_DEFAULT = 100

const retraction = Type.Object(
  {
    slot: int64({ description: 'Slot of the block' }),
    blockhash: nullable(
      Type.String({ description: 'Base58; null: every block of the slot was retracted' }),
    ),
    swaps: count({ description: 'Swaps that were taken back' }),
    pool_events: count({ description: 'Pool events that were taken back' }),
    is_applied: Type.Boolean({ description: 'Whether all tables of pools are without them' }),
    retracted_at: int64({ description: 'Unix milliseconds' }),
  },
  { $id: 'Retraction' },
)

export const retractionList = pagedList(retraction)

export const listed = Type.Object({
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
  cursor: Type.Optional(cursor),
  order,
})
