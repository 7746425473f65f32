/** Copy back-tests: settings and answers. Lamports and base units are whole numbers. */
import Type, { type Static, type TSchema } from 'typebox'
import {
  COPY_DEFAULTS,
  COPY_POSITIONS,
  DELAY_SLOTS_MAX,
} from '../../../domain/market/copy/settings.ts'
import { ASSUMED_FEES } from '../../../domain/venue.ts'
import { LEADERBOARD_PERIODS } from '../../../domain/wallet/leaderboard.ts'
import { PNL_MODES } from '../../../domain/wallet/pnl-mode.ts'
import {
  accountAddress,
  count,
  isBuy,
  nullable,
  signature,
  unbounded,
} from '../../routing/schema.ts'
import { coverageGap } from '../coverage/schema.ts'
import { leaderboardRequest } from '../leaderboard/schema.ts'

const WALLETS_MAX = 20
export const RUNS_MAX = 16
/** Trades in one answer. */
export const TRADES_MAX = 10_000
const BPS_MAX = 10_000

const lamports = (description: string, options: { minimum?: number; default?: number } = {}) =>
  Type.Integer({
    ...{ format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description },
    ...options,
  })
const bps = (description: string, usual: number) =>
  Type.Integer({ minimum: 0, maximum: BPS_MAX, default: usual, description })
const listOf = <Element extends TSchema>(
  element: Element,
  description: string,
  options: { default?: number[] } = {},
) => Type.Array(element, { minItems: 1, maxItems: RUNS_MAX, description, ...options })

export const noParameters = Type.Object({})

export const copyBody = Type.Object(
  {
    wallets: Type.Optional(
      Type.Array(Type.String({ format: 'address' }), {
        minItems: 1,
        maxItems: WALLETS_MAX,
        description: `Leaders, 1 to ${WALLETS_MAX}; or leaders`,
      }),
    ),
    leaders: Type.Optional(
      Type.Object(
        {
          as_of_slot: lamports('Slot as of which they are ranked, at or before from_slot'),
          period: leaderboardRequest.properties.period,
          pnl_mode: leaderboardRequest.properties.pnl_mode,
          top_n: Type.Integer({
            ...{ minimum: 1, maximum: WALLETS_MAX, default: 10 },
            description: 'Number of wallets, the best first, arbitrageurs left out',
          }),
        },
        {
          title: 'CopyLeadersRequest',
          description:
            'In place of wallets: the first of /v2/asof/leaderboard, chosen without hindsight',
        },
      ),
    ),
    from_slot: Type.Optional(lamports('First slot of the leaders; or from')),
    to_slot: Type.Optional(lamports('Last slot that is read; or to; default: the newest')),
    from: Type.Optional(
      lamports('Unix ms in place of from_slot: the first slot with a swap since'),
    ),
    to: Type.Optional(
      lamports('Unix ms in place of to_slot: the last slot with a swap until then'),
    ),
    delay_slots: listOf(
      Type.Integer({ minimum: 0, maximum: DELAY_SLOTS_MAX }),
      `Slots from the leader to the copy, 0 to ${DELAY_SLOTS_MAX}: one, or a list with a run for each`,
      { default: [COPY_DEFAULTS.delaySlots] },
    ),
    position: Type.Enum([...COPY_POSITIONS], {
      default: COPY_DEFAULTS.position,
      description:
        'end: after every swap of the pool in the fill slot; start: before them; with delay 0 directly after the leader',
    }),
    size_lamports: Type.Optional(
      listOf(
        Type.Integer({ format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
        'Lamports of each buy, outside fees included: one, or a list with runs for each; or ratio_ppm',
      ),
    ),
    ratio_ppm: Type.Optional(
      lamports("Parts of a million of the leader's lamports", { minimum: 1 }),
    ),
    leader_min_lamports: lamports('Smaller buys of leaders are not copied', { default: 0 }),
    leader_max_lamports: Type.Optional(lamports('Nor are larger ones')),
    repeat_buys: Type.Boolean({
      default: true,
      description: 'Whether a mint is bought again while it is held',
    }),
    open_max: Type.Optional(
      Type.Integer({
        ...{ minimum: 1, maximum: 100_000 },
        description: 'Positions, by leader and mint, that may be open at once',
      }),
    ),
    trade_min_lamports: lamports('A buy of less is not made', { default: 0 }),
    trade_max_lamports: Type.Optional(lamports('A buy spends at most this')),
    token_max_lamports: Type.Optional(lamports('At most this in one mint, by cost')),
    capital_lamports: Type.Optional(lamports('Lamports to begin with; default: as many as needed')),
    slippage_bps: bps(
      'A buy that gets less than the state after the leader would give, by more than this, fails',
      Number(COPY_DEFAULTS.slippageBps),
    ),
    sell_slippage_bps: bps(
      'The same for sells; 10000: none',
      Number(COPY_DEFAULTS.sellSlippageBps),
    ),
    extra_fee_bps: bps('A further fee outside the legs, as of a trading bot', 0),
    [ASSUMED_FEES]: bps(
      'Protocol and creator fee of PumpSwap, where the source of the swap before did not state them',
      0,
    ),
    base_fee_lamports: lamports('Network fee of a transaction, failed ones included', {
      default: Number(COPY_DEFAULTS.baseFee),
    }),
    priority_fee_lamports: lamports('Priority fee and tip of a transaction', {
      default: Number(COPY_DEFAULTS.priorityFee),
    }),
    rent_lamports: lamports('Held by the account of each mint while it is held', {
      default: Number(COPY_DEFAULTS.rent),
    }),
    trades: Type.Boolean({ default: true, description: 'Whether the answer lists each trade' }),
    trades_limit: Type.Integer({
      ...{ minimum: 1, maximum: TRADES_MAX, default: TRADES_MAX },
      description: 'Trades in one answer',
    }),
    cursor: Type.Optional(
      Type.String({
        ...{ format: 'cursor', maxLength: 200 },
        description:
          'next_cursor of the answer before: continues its trades, with the same settings',
      }),
    ),
  },
  { title: 'CopyBacktestRequest' },
)
export type CopyRequest = Static<typeof copyBody>
/** With its leaders; `leaders`: how they were chosen. */
export type ChosenRequest = CopyRequest & { wallets: string[] }

const range = Type.Object(
  {
    low: unbounded({ description: 'At least' }),
    high: unbounded({ description: 'At most; equal to low where every fill is exact' }),
  },
  { title: 'CopyRange' },
)
const ratio = (description: string) => nullable(Type.Number({ description }))
const wallet = accountAddress({ description: 'Leader' })
const mint = accountAddress({ description: 'Token mint' })
const pool = accountAddress({ description: 'Pool account' })
const flag = Type.Boolean()

const settings = Type.Object(
  {
    from_slot: count({ description: 'First slot of the leaders' }),
    to_slot: count({ description: 'Last slot that was read' }),
    delay_slots: Type.Integer({ description: 'Slots from the leader to the copy' }),
    position: Type.Enum([...COPY_POSITIONS]),
    size_lamports: nullable(count({ description: 'Lamports of each buy' })),
    ratio_ppm: nullable(count({ description: "Parts of a million of the leader's lamports" })),
    leader_min_lamports: count({ description: 'Least buy of a leader' }),
    leader_max_lamports: nullable(count({ description: 'Largest buy of a leader' })),
    repeat_buys: flag,
    open_max: nullable(count({ description: 'Positions open at once' })),
    trade_min_lamports: count({ description: 'Least buy' }),
    trade_max_lamports: nullable(count({ description: 'Largest buy' })),
    token_max_lamports: nullable(count({ description: 'Most in one mint' })),
    capital_lamports: nullable(count({ description: 'Lamports to begin with' })),
    slippage_bps: Type.Integer(),
    sell_slippage_bps: Type.Integer(),
    extra_fee_bps: Type.Integer(),
    [ASSUMED_FEES]: Type.Integer(),
    base_fee_lamports: count({ description: 'Network fee of a transaction' }),
    priority_fee_lamports: count({ description: 'Priority fee and tip of a transaction' }),
    rent_lamports: count({ description: 'Rent of the account of a mint' }),
  },
  { title: 'CopySettings' },
)

const open = Type.Object(
  {
    wallet,
    mint,
    pair_address: pool,
    tokens: range,
    cost_lamports: unbounded({ description: 'Lamports spent for them' }),
    value_lamports: range,
    priced: Type.Enum(['exact', 'bounded', 'marked'], {
      title: 'CopyValuation',
      description: 'marked: nothing prices them; low is 0, high is by the last swap',
    }),
  },
  {
    title: 'CopyPosition',
    description: 'value_lamports: what selling the tokens in the last state brings',
  },
)

const run = Type.Object(
  {
    settings,
    orders: count({ description: 'Orders of the leaders in the slots' }),
    status: Type.Record(Type.String(), count({ description: 'Orders' }), {
      description: 'Orders by status; their sum is orders',
    }),
    priced: Type.Object(
      {
        exact: count({ description: 'Orders filled to the lamport' }),
        bounded: count({ description: 'Orders filled within bounds' }),
        unpriced: count({ description: 'Orders that would have been made and cannot be priced' }),
        fee_assumed: count({
          description: `Filled orders that are charged ${ASSUMED_FEES}, because no source stated the fees of their venue`,
        }),
        exact_share: ratio('exact by the sum of the three; null without any'),
        exact_share_sol: ratio("The same by the leaders' lamports"),
      },
      { title: 'CopyPriced' },
    ),
    spent_lamports: unbounded({ description: 'Paid for buys, outside fees included' }),
    proceeds_lamports: range,
    outside_fees_lamports: unbounded({
      description: 'Fees outside the legs, part of the two before, by the low bound',
    }),
    tx_fees_lamports: unbounded({ description: 'Base and priority fees, of failed ones too' }),
    rent_lamports: unbounded({ description: 'Rent of the accounts of mints held at the end' }),
    value_lamports: range,
    pnl_lamports: range,
    roi: Type.Object(
      {
        low: ratio('pnl_lamports.low by capital_needed_lamports'),
        high: ratio('The same of high'),
      },
      { title: 'CopyReturn' },
    ),
    capital_needed_lamports: unbounded({ description: 'Deepest point of cash, by the low bound' }),
    sells: count({ description: 'Sells that were filled' }),
    wins: Type.Object(
      {
        low: count({ description: 'Sells above cost in any case' }),
        high: count({ description: 'Sells that may be above cost' }),
      },
      { title: 'CopyWins' },
    ),
    leader: Type.Object(
      {
        cash_flow_lamports: unbounded({ description: 'SOL legs of their sells less their buys' }),
        realized_strict_lamports: unbounded({ description: 'Their realized PnL by FIFO' }),
        is_arbitrageur: Type.Boolean({
          description:
            'At least 3, and at least half, of the transactions of one of them are arbitrages',
        }),
      },
      { title: 'CopyLeader', description: 'The leaders themselves, over the same slots' },
    ),
    open: Type.Array(open, { description: 'Positions at the end' }),
  },
  {
    title: 'CopyRun',
    description:
      'pnl_lamports = proceeds_lamports (received for sells, outside fees deducted) + value_lamports (of what is held at the end) - ' +
      'spent_lamports - tx_fees_lamports - rent_lamports',
  },
)
export type CopyRunAnswer = Static<typeof run>

const trade = Type.Object(
  {
    run: Type.Integer({ minimum: 0, description: 'Index of its run' }),
    copies: signature({ description: "The leader's transaction" }),
    wallet,
    mint,
    pair_address: pool,
    is_buy: isBuy,
    slot: count({ description: 'Slot of the leader' }),
    fill_slot: count({ description: 'Slot of the copy' }),
    status: Type.String({
      description:
        'exact, bounded, unpriced:REASON (as of /v2/quote, or undetermined), failed:slippage, failed:empty, atomic, after_end, pool_closed, ' +
        'leader_size, repeat, limit_open, too_small, nothing_held or uncovered',
    }),
    state: nullable(
      Type.Object(
        {
          signature: signature({ description: 'Transaction of the swap whose state it met' }),
          ix_index: Type.Integer({ description: 'Index within the transaction' }),
        },
        { title: 'CopyState' },
      ),
    ),
    sol_lamports: range,
    tokens: range,
    fee_lamports: unbounded({ description: 'Base and priority fee' }),
    realized_lamports: Type.Union([range, Type.Null()], {
      description: 'Proceeds less cost; null of a buy and where nothing was sold',
    }),
  },
  {
    title: 'CopyTrade',
    description:
      'sol_lamports: paid or received, outside fees included; tokens: base units that arrived or left',
  },
)
export type CopyTradeAnswer = Static<typeof trade>

export const copyAnswer = Type.Object(
  {
    id: nullable(
      Type.String({ description: 'Id of the job that computed it; null where none did' }),
    ),
    as_of: Type.Object(
      {
        slot: count({ description: 'Last slot that was read' }),
        newest_slot: count({ description: 'Newest indexed slot' }),
        coverage_gaps: Type.Array(coverageGap, {
          description: 'Slots of the question that were not read from the chain',
        }),
      },
      { title: 'CopyAsOf' },
    ),
    selection: Type.Enum(['given', 'as_of'], {
      title: 'CopySelection',
      description:
        'given: the wallets of the request, chosen with hindsight unless before from_slot; as_of: ranked as of a slot at or before it',
    }),
    leaders: nullable(
      Type.Object(
        {
          as_of_slot: count({ description: 'As requested' }),
          period: Type.Enum([...LEADERBOARD_PERIODS], { description: 'As requested' }),
          pnl_mode: Type.Enum([...PNL_MODES], { description: 'As requested' }),
          top_n: count({ description: 'As requested; there may be fewer' }),
          wallets: Type.Array(wallet, { description: 'The best first' }),
        },
        {
          title: 'CopyLeaders',
          description: 'The ranked wallets; null where the request gave wallets',
        },
      ),
    ),
    assumptions: Type.Object(
      {
        impact: Type.Literal('isolated', {
          description: 'Each trade has its own impact; the pool is as recorded at the next one',
        }),
        [ASSUMED_FEES]: Type.Integer({ description: 'Assumed fee of PumpSwap, basis points' }),
        is_fee_unchanged: Type.Boolean({
          description:
            'Whether a bounded fill assumes that the fee did not change along its evidence',
        }),
      },
      { title: 'CopyAssumptions' },
    ),
    runs: Type.Array(run, { description: 'By delay_slots, then size_lamports' }),
    trades: Type.Array(trade, {
      description: 'By run, then in the order of the orders; empty with trades false',
    }),
    next_cursor: nullable(
      Type.String({ description: 'Continues the trades; null at their end, and only there' }),
    ),
    result_hash: Type.String({
      description:
        'SHA-256 of the JSON of all runs and trades: equal for equal events and settings',
    }),
  },
  { title: 'CopyBacktest' },
)
export type CopyAnswer = Static<typeof copyAnswer>
