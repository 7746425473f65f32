/** Trades of a wallet with their realized PnL: parameters and answer. */
import Type, { type Static } from 'typebox'
import { PNL_MODES } from '../../../domain/wallet/pnl-mode.ts'
import {
  accountAddress,
  cursor,
  dex,
  dexFilter,
  fromMs,
  int64,
  isBuy,
  limit,
  nullable,
  order,
  pnlMode,
  signature,
  sol,
  toMs,
  unbounded,
  wallet,
} from '../../routing/schema.ts'
import { matchedBuy } from '../lots/schema.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
/** Matched buys that a trade shows; the lots of its position list all of them. */
export const MATCHES_SHOWN = 20

export const tradesRequest = Type.Object({
  w: wallet,
  mint: Type.Optional(accountAddress({ description: 'Token mint' })),
  dex: Type.Optional(dexFilter),
  is_buy: Type.Optional(isBuy),
  from: Type.Optional(fromMs),
  to: Type.Optional(toMs),
  pnl_mode: pnlMode,
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
  cursor: Type.Optional(cursor),
  order,
})

const whole = (description: string) => nullable(unbounded({ description }))

const trade = Type.Object(
  {
    signature: signature({ description: 'Transaction signature' }),
    slot: int64({ description: 'Block slot' }),
    block_tx_index: int64({ description: 'Place of the transaction in its block' }),
    ix_index: Type.Integer({ description: 'Index within the transaction, by its decoder' }),
    dex,
    timestamp: int64({ description: 'Unix milliseconds' }),
    token_address: accountAddress({ description: 'The token bought or sold' }),
    pair_address: accountAddress({ description: 'Pool account' }),
    is_buy: isBuy,
    sol_amount: int64({ description: 'SOL leg, lamports' }),
    token_amount: int64({ description: 'Token leg, base units' }),
    quote_decimals: Type.Integer({ description: 'Decimals of the token', format: 'int32' }),
    price_per_token: Type.Number({
      description: 'Executed price, lamports per token base unit: sol_amount / token_amount',
    }),
    realized_lamports: whole(
      'By pnl_mode, lamports: covered proceeds less cost; in raw the whole proceeds, of a buy its cost, negative. null for a buy in other modes, and for a sell that the ledger has not read yet',
    ),
    realized_sol: nullable(sol({ description: 'The same in SOL' })),
    cost_lamports: whole('Cost of the covered quantity by pnl_mode, lamports; null in raw, too'),
    covered_quantity: whole('Base units sold that an indexed buy brought; null for a buy'),
    match_count: Type.Integer({ minimum: 0, description: 'Buys that a sell matched by FIFO' }),
    matches: Type.Array(matchedBuy, {
      description: `The first ${MATCHES_SHOWN} of these, oldest first; all are in the lots of the position`,
    }),
  },
  { title: 'WalletTrade' },
)
export type TradeAnswer = Static<typeof trade>

export const tradeList = Type.Object(
  {
    wallet: accountAddress({ description: 'Wallet' }),
    pnl_mode: Type.Enum([...PNL_MODES], { description: 'How realized was counted' }),
    trades: Type.Array(trade),
    next_cursor: nullable(
      Type.String({
        description:
          'null at the end of the list, and only there: a page may have fewer rows than limit',
      }),
    ),
  },
  { title: 'WalletTrades' },
)
export type TradeListAnswer = Static<typeof tradeList>
