/** Parameters and answer of the list of pairs: accounts only, or pools of tokens with what they traded. */
import Type from 'typebox'
import {
  accountAddress,
  count,
  cursorOf,
  dex,
  limit,
  mints,
  nullable,
  protocol,
  TOKEN_TEXTS,
  venueName,
} from '../../routing/schema.ts'
import { LIQUIDITY_ZERO } from './liquidity.ts'
import { POOLS_CURSOR_LENGTH_MAX } from './shown-pools.ts'

const PAIR_MINTS_MAX = 200

export const ofPairs = Type.Object({
  token_address: Type.Optional(accountAddress({ description: 'Token mint: its pools' })),
  token_addresses: Type.Optional(mints(PAIR_MINTS_MAX, 'Token mints: their pools')),
  protocol: Type.Optional(protocol),
  limit: limit(500, 50),
  cursor: Type.Optional(cursorOf(POOLS_CURSOR_LENGTH_MAX)),
})

const pair = Type.Object(
  {
    pair_address: Type.String({ description: 'Pool account' }),
    token_address: Type.String({ description: 'Its mint' }),
    protocol: venueName('Venue by name'),
    dex,
    recent_volume_sol: Type.Number({ description: 'SOL of all trades of the trailing 24 hours' }),
    recent_trade_count: count({ description: 'Trades of the trailing 24 hours, dust included' }),
    swap_count: count({ description: 'Trades since the first that is indexed' }),
    price_sol: nullable(
      Type.Number({ description: 'Last executed price, SOL per whole token; null without any' }),
    ),
    last_price_timestamp: nullable(count({ description: TOKEN_TEXTS.priceTime })),
    last_trade_timestamp: count({ description: 'Unix ms of the newest trade' }),
    liquidity_sol: Type.Number({
      description: `Twice the SOL reserve after the newest trade; ${LIQUIDITY_ZERO}`,
    }),
  },
  { $id: 'Pair' },
)

export const pairs = Type.Object({
  success: Type.Literal(true),
  data: Type.Union([
    Type.Array(Type.String({ description: 'Pool account' })),
    Type.Array(pair, { description: 'With token_address or token_addresses' }),
  ]),
  next_cursor: nullable(Type.String({ description: 'null at the end of the list' })),
})
