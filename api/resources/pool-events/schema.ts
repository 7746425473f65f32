/** Pool events: the fields of a row, and the parameters of the list. */
import Type, { type Static } from 'typebox'
import { POOL_EVENT_KINDS } from '../../../domain/events/pool-event.ts'
import {
  accountAddress,
  cursor,
  dex,
  dexFilter,
  feedList,
  fromMs,
  int64,
  limit,
  nullable,
  order,
  signature,
  toMs,
} from '../../routing/schema.ts'

const LIMIT_MAX = 1000
const LIMIT_DEFAULT = 100

const event = Type.Enum([...POOL_EVENT_KINDS], {
  title: 'PoolEventKind',
  description: 'Kind of the event',
})

export const poolEvent = Type.Object(
  {
    event,
    signature: signature({ description: 'Transaction signature' }),
    slot: int64({ description: 'Block slot' }),
    timestamp: int64({ description: 'Unix milliseconds' }),
    pair_address: accountAddress({ description: 'Pool account' }),
    token_address: accountAddress({ description: 'Token mint' }),
    dex,
    block_tx_index: int64({ description: 'Place of the transaction in its block' }),
    ix_index: Type.Integer({ description: 'Index within the transaction, by its decoder' }),
    creator: nullable(
      accountAddress({ description: 'Wallet that made the pool or moved its liquidity' }),
    ),
    from_pair: nullable(
      accountAddress({ description: 'Bonding curve that a migrated pool comes from' }),
    ),
    sol_amount: nullable(int64({ description: 'Lamports added or removed' })),
    token_amount: nullable(int64({ description: 'Base units added or removed' })),
  },
  { $id: 'PoolEvent', title: 'PoolEvent' },
)
export type PoolEventAnswer = Static<typeof poolEvent>

export const poolEventList = feedList(poolEvent)

export const listed = Type.Object({
  pair_address: Type.Optional(accountAddress({ description: 'Pool account, not a mint' })),
  token_address: Type.Optional(accountAddress({ description: 'Token mint' })),
  dex: Type.Optional(dexFilter),
  event: Type.Optional(event),
  from: Type.Optional(fromMs),
  to: Type.Optional(toMs),
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
  cursor: Type.Optional(cursor),
  order,
})
