/** Back-tests that jobs compute: their state, and what is answered when one is ended. */
import Type, { type Static } from 'typebox'
import { cursorOf, limit, nullable } from '../../../routing/schema.ts'
import { TRADES_MAX } from '../schema.ts'

const CURSOR_LENGTH_MAX = 100
/** An id of no job, for the documents. */
export const EXAMPLE_ID = '00000000-0000-4000-8000-000000000001'

const id = Type.String({
  ...{ format: 'plain-text', minLength: 1, maxLength: 36 },
  description: 'Id of the job',
})

export const ofJob = Type.Object({ id })
export const ofAnswer = Type.Object({
  id,
  limit: limit(TRADES_MAX, 100),
  cursor: Type.Optional(cursorOf(CURSOR_LENGTH_MAX)),
})

const orders = (description: string) => Type.Integer({ minimum: 0, description })

export const copyJob = Type.Object(
  {
    id: Type.String({ description: 'Its id in GET /v2/backtest/{id}' }),
    status: Type.Enum(['waiting', 'running'], { title: 'CopyBacktestStatus' }),
    orders: orders('Orders of the leaders in the slots'),
    orders_done: orders('Orders that all runs took'),
    slot: nullable(Type.Integer({ minimum: 0, description: 'Slot of the last of them' })),
    eta_ms: nullable(
      Type.Integer({ minimum: 0, description: 'Estimated milliseconds to the end; null at first' }),
    ),
  },
  {
    title: 'CopyBacktestJob',
    examples: [
      {
        ...{ id: EXAMPLE_ID, status: 'running', orders: 48_210, orders_done: 12_400 },
        ...{ slot: 366_861_924, eta_ms: 9_350 },
      },
    ],
  },
)
export type CopyJobAnswer = Static<typeof copyJob>

export const cancelled = Type.Object(
  {
    id: Type.String({ description: 'Id of the job' }),
    status: Type.Literal('cancelled'),
  },
  { title: 'CancelledBacktest', examples: [{ id: EXAMPLE_ID, status: 'cancelled' }] },
)
