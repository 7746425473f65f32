/** Traders of a token by realized PnL, and its first buyers: parameters and answers. */
import Type, { type Static } from 'typebox'
import { PNL_MODES } from '../../../domain/wallet/pnl-mode.ts'
import {
  accountAddress,
  cursor,
  int64,
  limit,
  nullable,
  pnlMode,
  signature,
} from '../../routing/schema.ts'
import { ownedPosition } from '../batches/schema.ts'
import { EARLY_BUYERS_MAX } from '../tokens/early-buyers.ts'

const TRADERS_MAX = 200
const TRADERS_USUAL = 50

const token = accountAddress({ description: 'Token mint' })
const mode = Type.Enum([...PNL_MODES], { description: 'How it was counted' })

export const tradersRequest = Type.Object({
  token,
  pnl_mode: pnlMode,
  limit: limit(TRADERS_MAX, TRADERS_USUAL),
  cursor: Type.Optional(cursor),
})

export const traders = Type.Object(
  {
    token: accountAddress({ description: 'As requested' }),
    pnl_mode: mode,
    total: Type.Integer({ minimum: 0, description: 'Wallets that traded it' }),
    traders: Type.Array(ownedPosition, { description: 'By realized, descending; ties by wallet' }),
    next_cursor: nullable(Type.String({ description: 'null at the end of the list' })),
  },
  { title: 'TokenTraders' },
)
export type TradersAnswer = Static<typeof traders>

export const firstBuyersRequest = Type.Object({
  token,
  pnl_mode: pnlMode,
  limit: limit(EARLY_BUYERS_MAX, EARLY_BUYERS_MAX),
})

const BUYER_STATES = ['holds_all', 'sold_some', 'sold_all'] as const

const firstBuyer = Type.Object(
  {
    place: Type.Integer({ minimum: 1, description: '1: the first wallet to buy' }),
    wallet: accountAddress({ description: 'Wallet' }),
    signature: signature({ description: 'Transaction signature of its first buy' }),
    slot: int64({ description: 'Slot of its first buy' }),
    timestamp: int64({ description: 'Time of its first buy, Unix milliseconds' }),
    sol_amount: int64({ description: 'SOL leg of its first buy, lamports' }),
    token_amount: int64({ description: 'Token leg of its first buy, base units' }),
    is_sniper: Type.Boolean({ description: 'Within 3 slots of the first indexed swap' }),
    is_insider: Type.Boolean({ description: 'The creator, or a buyer of the creation' }),
    state: nullable(
      Type.Enum([...BUYER_STATES], {
        description:
          'holds_all: never sold; sold_some: sold, and has a balance; sold_all: no balance; null: not in the ledger yet',
      }),
    ),
    position: nullable(ownedPosition),
  },
  { title: 'FirstBuyer' },
)
export type FirstBuyerAnswer = Static<typeof firstBuyer>

export const firstBuyers = Type.Object(
  {
    token: accountAddress({ description: 'As requested' }),
    pnl_mode: mode,
    buyers: Type.Array(firstBuyer, { description: 'In the order of their first buys' }),
  },
  { title: 'FirstBuyers' },
)
export type FirstBuyersAnswer = Static<typeof firstBuyers>
