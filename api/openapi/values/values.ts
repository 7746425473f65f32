/**
 * Example values of fields and parameters by name, from story.ts and constants. Pure.
 *
 * A name may have a prefix for its context: `parameter.` for request parameters, `<field>.` or `<Title>.` for
 * fields nested in that, `<path> ` for one route. The most specific name whose value fits the schema wins;
 * undefined: the field is left out of examples.
 */

import { checkMint } from '../../../chain/accounts/mint-check.ts'
import { DECODER_VERSION } from '../../../chain/decoder/version.ts'
import { wholeTokens } from '../../../domain/amount.ts'
import { HOUR_MINUTES, HOUR_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { byWindow, MARKET_WINDOWS, WINDOW_MINUTES } from '../../../domain/time/trade-window.ts'
import { VENUE_NAMES } from '../../../domain/venue.ts'
import { OF_KEYS, OF_OPERATORS } from '../../examples/operators.ts'
import * as story from '../../examples/story.ts'
import { scoreOf } from '../../resources/search/score.ts'
import { PRICE_SEMANTICS } from '../../resources/swaps/present.ts'
import { riskOf } from '../../resources/tokens/risk.ts'
import { writeExact } from '../../routing/json.ts'
import { cursorValues } from './cursor-values.ts'
import { OF_PNL } from './pnl-values.ts'
import { OF_CHARTS } from './udf-values.ts'
import { under } from './under.ts'
import { OF_LOTS, OF_WALLETS } from './wallet-values.ts'
import { OF_WEBHOOKS } from './webhook-values.ts'

const { BUY_MS, CREATOR, MINT, PAIR, POSITION, PRICE_SOL, SALE_MS, usdOf } = story

const LIQUIDITY_USD = usdOf(story.LIQUIDITY_SOL)
const SUPPLY = 1_000_000_000_000_000
const MARKET_CAP_SOL = 1_000_000_000 * PRICE_SOL
const HELD_SUPPLY = 914_200_000_000_000
/** 1.8 % of it. */
const CREATOR_HOLDS = 16_455_600_000_000
const HOLDERS = 4_210
const CHECKS = checkMint({
  mintAuthority: null,
  freezeAuthority: null,
  extensions: [],
  epoch: null,
})
const SHARE_PCT = (POSITION.left * 100) / HELD_SUPPLY
const SWAP_COUNT = 48_210
/** SOL, buyers and sellers of the hour. */
const HOUR = { volume: 1_520.5, buys: 640, sells: 412, buyers: 310, sellers: 198 }
const VELOCITY = Math.log1p(HOUR.volume / 60)
const BUYERS = Math.log1p(HOUR.buyers)

const REQUESTED = {
  'parameter.creator': CREATOR,
  'parameter.exclude_arbitrage': false,
  'parameter.start_slot': story.BUY_SLOT,
  'parameter.end_slot': story.SALE_SLOT,
  'parameter.from': BUY_MS - HOUR_MS,
  'parameter.to': BUY_MS,
  'parameter.limit': 10,
  'parameter.offset': 20,
  'parameter.sector': 'meme',
  'parameter.wallet': story.WALLET,
  'mints[]': [MINT, story.OTHER_MINT],
  token_addresses: [MINT, story.OTHER_MINT],
  tokens: [MINT, story.OTHER_MINT],
  min_sol: 1.5,
  min_value_sol: 0.1,
  min_price_usd: 0.01,
  max_price_usd: 1,
  min_volume_usd: 10_000,
  max_volume_usd: 1_000_000,
  min_liquidity_usd: 50_000,
  max_liquidity_usd: 5_000_000,
  min_change_pct: -20,
  max_change_pct: 300,
  min_trades: 100,
  max_trades: 100_000,
  min_buyers: 50,
  max_buyers: 10_000,
  min_age_minutes: 60,
  max_age_minutes: 10_080,
  min_holders: 100,
  max_holders: 50_000,
}

const OF_SWAPS = {
  ...story.SWAP,
  wallet: story.WALLET,
  mint: MINT,
  protocol: story.POOL_VENUE.name,
  protocols: [story.POOL_VENUE.name],
  feed_cursor: 'Xq3vT0bN-184467',
  price_semantics: PRICE_SEMANTICS,
  '/swaps/{signature} total': 1,
  ...under('PoolEvent', story.MIGRATED),
}

/** Example values of a token line that is not part of the story. */
const OF_METADATA = under('MetadataConflict', {
  field: 'decimals',
  shown: '6',
  shown_source: 'newest_swap',
  ignored: '9',
  ignored_source: 'token_line',
})

const changeFrom = (open: number): number => (PRICE_SOL / open - 1) * 100
/** Open, high and low of the windows that end with the sale. */
const [FIVE_MINUTES, LAST_HOUR, SIX_HOURS, DAY] = [
  { open: 0.000424, high: 0.000431, low: 0.000422 },
  { open: 0.000402, high: 0.000431, low: 0.0004 },
  { open: 0.000384, high: 0.000431, low: 0.00038 },
  { open: 0.00036, high: 0.000436, low: 0.000351 },
] as const

const OF_PRICES = {
  price_sol: PRICE_SOL,
  price_usd: usdOf(PRICE_SOL),
  ts_ms: SALE_MS,
  ...under('PriceAt', { ts_ms: BUY_MS, age_ms: 0, price_sol: story.SWAP.price_per_token / 1_000 }),
  chosen_by: 'top_pool',
  since: null,
  // The day before the buy.
  from_ts: BUY_MS - 24 * HOUR_MS,
  to_ts: BUY_MS - 1,
  open: DAY.open,
  high: DAY.high,
  low: DAY.low,
  close: 0.0004,
  '/price/history/range volume_sol': 24_011.75,
  sample_count: 24,
  open_price: LAST_HOUR.open,
  close_price: PRICE_SOL,
  price_change_pct: changeFrom(LAST_HOUR.open),
  'Mover.high': LAST_HOUR.high,
  'Mover.low': LAST_HOUR.low,
  trade_count: HOUR.buys + HOUR.sells,
  ...under('losers', {
    mint: story.OTHER_MINT,
    price_change_pct: -30,
    open_price: 0.02,
    close_price: 0.014,
    high: 0.0203,
    low: 0.0138,
    volume_sol: 88.1,
    trade_count: 120,
  }),
}

type Edges = { open: number; high: number; low: number }

/** Figures of a window with `hours` times the trades of the hour. */
function windowOf(name: string, hours: number, { open, high, low }: Edges) {
  const part = (count: number): number => Math.round(count * hours)
  return under(name, {
    volume_sol: HOUR.volume * hours,
    trades: part(HOUR.buys) + part(HOUR.sells),
    buys: part(HOUR.buys),
    sells: part(HOUR.sells),
    buyers: part(HOUR.buyers),
    sellers: part(HOUR.sellers),
    change_pct: changeFrom(open),
    high,
    low,
  })
}

const marketOf = (hours: number) => ({
  swaps: 91_300 * hours,
  volume_sol: 48_102.25 * hours,
  traders: 9_120 + 400 * hours,
  tokens: 1_210 + 90 * hours,
  pools: 1_405 + 102 * hours,
})

const OF_MARKETS = {
  ...windowOf('5m', 0.125, FIVE_MINUTES),
  ...windowOf('1h', 1, LAST_HOUR),
  ...windowOf('6h', 5, SIX_HOURS),
  ...windowOf('24h', 16, DAY),
  volume_sol: HOUR.volume,
  volume_usd: usdOf(HOUR.volume),
  trades: HOUR.buys + HOUR.sells,
  buys: HOUR.buys,
  sells: HOUR.sells,
  buyers: HOUR.buyers,
  sellers: HOUR.sellers,
  change_pct: changeFrom(LAST_HOUR.open),
  change_pct_by_window: Object.fromEntries([
    ['5m', changeFrom(FIVE_MINUTES.open)],
    ['24h', changeFrom(DAY.open)],
  ]),
  liquidity_sol: story.LIQUIDITY_SOL,
  liquidity_usd: LIQUIDITY_USD,
  market_cap_sol: MARKET_CAP_SOL,
  market_cap_usd: usdOf(MARKET_CAP_SOL),
  top_pair: PAIR,
  first_seen: story.CREATION_MS,
  price_timestamp: SALE_MS,
  windows_end: Math.floor(SALE_MS / MINUTE_MS) * MINUTE_MS + MINUTE_MS,
  '/api/v1/stats windows': byWindow(MARKET_WINDOWS, (window) =>
    marketOf(WINDOW_MINUTES[window] / HOUR_MINUTES),
  ),
  newest_slot: story.SALE_SLOT,
  newest_timestamp: SALE_MS,
  indexing_lag_ms: 640,
  'CoverageRange.venues': VENUE_NAMES,
  complete_since: 424_250_900,
  complete_since_timestamp: story.CREATION_MS + 400,
  'CoverageRange.from_slot': story.BUY_SLOT,
  'CoverageRange.to_slot': story.SALE_SLOT,
  'CoverageRange.swaps': 214_600,
  decoder_version: DECODER_VERSION,
  'CoverageRange.source': 'geyser',
  'CoverageRange.commitment': 'confirmed',
  'CoverageSlots.venues': [story.POOL_VENUE.name],
  'CoverageSlots.from_slot': story.BUY_SLOT - 340,
  'CoverageSlots.to_slot': story.BUY_SLOT - 1,
  'CoverageGap.venues': [story.POOL_VENUE.name],
  'CoverageGap.from_slot': story.BUY_SLOT - 340,
  'CoverageGap.to_slot': story.BUY_SLOT - 1,
  'CoverageGap.from_timestamp': BUY_MS - 340 * 400,
  'CoverageGap.to_timestamp': BUY_MS,
  ...under('Retraction', {
    ...story.LEFT_BLOCK,
    ...{ swaps: 412, pool_events: 9, is_applied: true, retracted_at: BUY_MS },
  }),
  'Protocol.kind': story.POOL_VENUE.kind,
  pools: 1_840,
  '/api/v1/pairs data': [PAIR],
  swaps_24h: 702_114,
  volume_sol_24h: 412_080.5,
  recent_volume_sol: HOUR.volume * 16,
  recent_trade_count: 16_832,
  swap_count: SWAP_COUNT,
  last_price_timestamp: SALE_MS,
  last_trade_timestamp: SALE_MS,
  'TrendingToken.trending_score':
    0.9 * VELOCITY + 1.1 * BUYERS + 0.6 * 0.8 + 0.6 * 0.5 + 0.5 * 0.02 - 0.36,
  vol_velocity: VELOCITY,
  unique_buyers: BUYERS,
  vol_acceleration: 0.8,
  buyer_acceleration: 0.5,
  dev_sell_penalty: 0,
  holder_growth: 0.02,
  top10_penalty: 0.36,
  total: 412,
  total_matches: 37,
  age_minutes: 86_405,
  warnings: [],
  'SearchResult.id': MINT,
  'SearchResult.label': `${story.SYMBOL} (${story.NAME})`,
  'SearchResult.score': scoreOf('symbol', 'exa', story.SYMBOL, SWAP_COUNT),
}

const RISK = riskOf({
  price: PRICE_SOL,
  peak: 0.00061,
  dayOpen: 0.00036,
  dayClose: PRICE_SOL,
  liquiditySol: story.LIQUIDITY_SOL,
  tradedPools: 2,
  ageMs: SALE_MS - story.CREATION_MS,
  holderCount: HOLDERS,
  held: BigInt(HELD_SUPPLY),
  top10: (BigInt(HELD_SUPPLY) * 36n) / 100n,
  creator: {
    wallet: CREATOR,
    balance: BigInt(CREATOR_HOLDS),
    sellsLamports: 500_000_000n,
    valueSol: wholeTokens(CREATOR_HOLDS, POSITION.decimals) * PRICE_SOL,
  },
  checks: CHECKS,
})

const OF_TOKENS = {
  symbol: story.SYMBOL,
  name: story.NAME,
  sector: 'meme',
  uri: 'https://example.com/token.json',
  image: 'https://example.com/token.png',
  decimals: POSITION.decimals,
  supply: SUPPLY,
  pool_count: 2,
  first_trade_at: story.CREATION_MS + 400,
  'creator.wallet': CREATOR,
  mints_created: 3,
  'creator.held_pct': 1.8,
  'creator.total_buys_sol': 2,
  'creator.total_sells_sol': 0.5,
  'first_pool.pair_address': story.CURVE,
  'first_pool.dex': story.CURVE_VENUE.dex,
  'first_pool.protocol': story.CURVE_VENUE.name,
  'first_pool.created_at': story.CREATION_MS,
  'first_pool.slot': 424_251_010,
  'first_pool.signature': story.CREATION,
  'migration.from_pair': story.CURVE,
  'migration.migrated_at': story.MIGRATION_MS,
  'migration.slot': 428_571_220,
  'migration.signature': story.MIGRATION,
  'early_buyers.count': 50,
  sniper: 3,
  insider: 1,
  whale: 2,
  smart_money: 4,
  untagged: 40,
  'early_buyers.held_pct': 7.2,
  holder_count: HOLDERS,
  holders: HOLDERS,
  held_supply: HELD_SUPPLY,
  '/tokens/{mint}/intel hhi': 0.012,
  '/tokens/{mint}/intel top1_pct': 4.1,
  top10_pct: 36,
  indexed: true,
  mint_authority: null,
  freeze_authority: null,
  transfer_fee_bps: 0,
  extensions: [],
  checks: CHECKS,
  'TokenRisk.score': RISK.score,
  'TokenRisk.level': RISK.level,
  // Base units of any size are bigints there.
  factors: JSON.parse(writeExact(RISK.factors)),
  tier_locked: false,
  tier_required: undefined,
  upgrade_url: undefined,
  share_pct: SHARE_PCT,
  '/tokens/{mint}/whales tag': 'whale',
  '/tokens/{mint}/whales score': POSITION.paidSol / 1_000,
  '/tokens/{mint}/smart-money tag': 'smart_money',
  '/tokens/{mint}/smart-money score': 0.31,
}

export const VALUES: Readonly<Record<string, unknown>> = {
  ...cursorValues(),
  // The description is complete there.
  '/v2/pnl/wallets/{wallet}/positions/{mint}/lots next_cursor': null,
  ...OF_SWAPS,
  ...OF_PRICES,
  ...OF_METADATA,
  ...OF_MARKETS,
  ...OF_TOKENS,
  ...OF_WALLETS,
  ...OF_LOTS,
  ...OF_PNL,
  ...OF_CHARTS,
  ...OF_WEBHOOKS,
  ...OF_KEYS,
  ...OF_OPERATORS,
  ...REQUESTED,
}
