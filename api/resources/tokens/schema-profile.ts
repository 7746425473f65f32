/** Schemas of a token's profile and risk. */
import Type, { type Static } from 'typebox'
import { TAG_WORDS } from '../../../domain/wallet/wallet-tag.ts'
import {
  accountAddress,
  count,
  dex,
  int64,
  nameFlagList,
  nullable,
  sol,
  TOKEN_TEXTS,
  usd,
  venueName,
} from '../../routing/schema.ts'
import { EARLY_BUYERS_MAX, FIRST_SWAPS_WORDS } from './early-buyers.ts'
import { LEVELS_FROM, RISK_FACTORS, RISK_LEVELS, SCORE_MAX } from './risk.ts'
import { baseUnits, computedAt, IMAGE_TEXT, mint, percent, URI_TEXT } from './schema.ts'

const protocol = venueName('Venue by name')
const pair = accountAddress({ description: 'Pool account' })
const buyers = (description: string) => Type.Integer({ minimum: 0, description })
const known = Type.String()

const origin = {
  pair_address: pair,
  dex,
  protocol,
}

const metadataConflict = Type.Object(
  {
    field: Type.Enum(['decimals', 'creator']),
    shown: Type.String({ description: 'Value that every route uses' }),
    shown_source: Type.Enum(['newest_swap', 'token_line']),
    ignored: Type.String({ description: 'Value of the other source' }),
    ignored_source: Type.Enum(['token_line', 'created_event']),
  },
  { $id: 'MetadataConflict' },
)

export const intel = Type.Object(
  {
    mint,
    symbol: nullable(known),
    name: nullable(known),
    name_flags: nameFlagList,
    decimals: nullable(
      Type.Integer({
        minimum: 0,
        description: TOKEN_TEXTS.decimals,
      }),
    ),
    metadata_conflicts: Type.Array(metadataConflict, {
      description:
        'Values of the token line or a pool event that differ from the shown ones; mostly empty',
    }),
    supply: nullable(count({ description: 'Base units, from a token line' })),
    sector: nullable(known),
    uri: nullable(Type.String({ description: URI_TEXT })),
    image: nullable(Type.String({ description: IMAGE_TEXT })),
    price_sol: nullable(sol({ description: 'null without a priced trade' })),
    price_usd: usd({ description: 'null without a price or a rate' }),
    top_pair: nullable(pair),
    liquidity_sol: nullable(sol({ description: 'Both sides of the top pool' })),
    liquidity_usd: usd({ description: 'null without a rate' }),
    pool_count: Type.Integer({ minimum: 0, description: 'Pools that traded' }),
    first_trade_at: nullable(int64({ description: 'Unix ms of the first indexed swap' })),
    creator: nullable(
      Type.Object(
        {
          wallet: accountAddress({
            description: TOKEN_TEXTS.creator,
          }),
          mints_created: Type.Integer({ minimum: 0, description: 'Indexed ones, this among them' }),
          held_pct: percent('Share in the balances of all holders of the ledger'),
          total_buys_sol: sol({ description: 'Paid in all buys of this mint' }),
          total_sells_sol: sol({ description: 'Received in all sells of this mint' }),
        },
        { title: 'TokenCreator' },
      ),
    ),
    first_pool: nullable(
      Type.Object(
        {
          ...origin,
          created_at: nullable(int64({ description: 'Unix ms' })),
          slot: nullable(count({ description: 'Slot of the creation' })),
          signature: nullable(known),
        },
        {
          title: 'FirstPool',
          description:
            'Pool of the earliest event, `created` or a swap; its creation is null where no event reported it',
        },
      ),
    ),
    migration: nullable(
      Type.Object(
        {
          ...origin,
          from_pair: nullable(pair),
          migrated_at: int64({ description: 'Unix ms' }),
          slot: count({ description: 'Slot of the migration' }),
          signature: known,
        },
        { title: 'Migration' },
      ),
    ),
    early_buyers: Type.Object(
      {
        count: buyers(`At most ${EARLY_BUYERS_MAX}`),
        sniper: buyers(`Bought ${TAG_WORDS.sniper} swap`),
        insider: buyers('The creator, or bought with the creation'),
        whale: buyers(`One ${TAG_WORDS.buyOfWhale}, or ${TAG_WORDS.openWhale}`),
        smart_money: buyers('By their newest profiles'),
        untagged: buyers('None of these'),
        held_pct: percent('Share of these buyers in the balances of all holders now'),
      },
      {
        title: 'EarlyBuyers',
        description: `The first wallets to buy, of the ${FIRST_SWAPS_WORDS}`,
      },
    ),
    concentration: Type.Object(
      {
        holder_count: Type.Integer({ minimum: 0 }),
        held_supply: baseUnits('Sum of the balances of all holders'),
        top1_pct: nullable(percent('null without a holder')),
        top10_pct: nullable(percent('null without a holder')),
        hhi: nullable(Type.Number({ minimum: 0, description: 'Sum of squared shares, 0..1' })),
      },
      { title: 'HolderConcentration' },
    ),
    computed_at: computedAt,
  },
  { title: 'TokenIntel' },
)
export type IntelAnswer = Static<typeof intel>

export const risk = Type.Object(
  {
    mint,
    score: Type.Integer({ minimum: 0, maximum: SCORE_MAX, description: 'The higher, the riskier' }),
    level: Type.Enum([...RISK_LEVELS], {
      title: 'RiskLevel',
      description: `From ${LEVELS_FROM.map((least, level) => `${least} ${RISK_LEVELS[level + 1]}`).join(', ')}`,
    }),
    factors: Type.Array(
      Type.Object(
        {
          name: Type.Enum([...RISK_FACTORS]),
          points: nullable(Type.Number({ minimum: 0, description: 'null: not known' })),
          max_points: Type.Number({ minimum: 0 }),
          evidence: Type.Unsafe<Record<string, unknown>>({
            type: 'object',
            description: 'Values from which the points are computed; null where unknown',
          }),
        },
        { title: 'RiskFactor' },
      ),
    ),
    onchain_status: Type.Enum(['mint', 'no_mint', 'absent', 'unavailable', 'not_configured'], {
      description: 'Whether a node returned authorities and extensions, as in /tokens/{mint}/audit',
    }),
    computed_at: computedAt,
  },
  { title: 'TokenRisk' },
)
export type RiskAnswer = Static<typeof risk>
