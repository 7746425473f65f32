/** Sandwiches and what they took: parameters and answers. Lamports and base units are whole numbers. */
import Type, { type Static } from 'typebox'
import type { Int64 } from '../../../domain/amount.ts'
import { SANDWICH_LINKS, SANDWICH_RULINGS } from '../../../domain/market/sandwich/bracket.ts'
import { SANDWICH_WIDTHS } from '../../../domain/market/sandwich/detect.ts'
import {
  accountAddress,
  count,
  cursor,
  dex,
  dexFilter,
  fromMs,
  int64,
  isBuy,
  limit,
  nullable,
  order,
  pagedList,
  signature,
  toMs,
  unbounded,
  utcDate,
  wallet,
} from '../../routing/schema.ts'

const LIMIT = { max: 200, usual: 50 }
const GROUPS = { max: 1_000, usual: 100 }
const SUMMARY_KEYS = ['day', 'wallet', 'token', 'pool', 'attacker', 'dex'] as const

const loss = Type.Object(
  {
    low: unbounded({ description: 'At least, lamports' }),
    high: nullable(unbounded({ description: 'At most; null: not known' })),
  },
  { title: 'MevLoss' },
)

const lossOfSwap = Type.Object(
  {
    basis: Type.Enum(['exact', 'bounded'], {
      title: 'MevLossBasis',
      description:
        'exact: the pool was run again without the attacker, every other swap with its tokens; bounded: from the legs and the price before',
    }),
    ...loss.properties,
  },
  { title: 'MevSwapLoss' },
)

const leg = Type.Object(
  {
    role: Type.Enum(['front', 'victim', 'back'], { title: 'MevLegRole', description: 'Part' }),
    wallet: accountAddress({ description: 'Wallet that traded' }),
    signature: signature({ description: 'Transaction signature' }),
    slot: int64({ description: 'Block slot' }),
    block_tx_index: int64({ description: 'Place of the transaction in its block' }),
    ix_index: Type.Integer({ description: 'Index within the transaction, by its decoder' }),
    timestamp: int64({ description: 'Unix milliseconds' }),
    is_buy: isBuy,
    sol_amount: int64({ description: 'SOL leg, lamports' }),
    token_amount: int64({ description: 'Token leg, base units' }),
    loss: Type.Union([lossOfSwap, Type.Null()], { description: 'Loss of a victim; else null' }),
  },
  { title: 'MevLeg' },
)

const sandwich = Type.Object(
  {
    pair_address: accountAddress({ description: 'Pool account' }),
    token_address: accountAddress({ description: 'Token mint' }),
    dex,
    slot: int64({ description: 'Slot of the first leg' }),
    last_slot: int64({ description: 'Slot of the last leg' }),
    timestamp: int64({ description: 'Time of the first leg, Unix milliseconds' }),
    verdict: Type.Enum([...SANDWICH_RULINGS], {
      title: 'MevVerdict',
      description:
        'sandwich, or why a bracket is refused: order_unknown: of its swaps; too_many: victims; unmatched: less than half of the larger side; ' +
        'unprofitable: on the quantity that matches; harmless: no swap between lost',
    }),
    link: Type.Enum([...SANDWICH_LINKS], {
      title: 'MevLink',
      description: 'How the legs are of one attacker: one wallet, or one quantity of two wallets',
    }),
    width: Type.Enum([...SANDWICH_WIDTHS], {
      title: 'MevWidth',
      description:
        'tight: in one slot, at most 4 transactions before the first and after the last victim; slot: any other of one slot; wide: of several',
    }),
    repeats: count({
      description:
        'Sandwiches of its wallets, in any pool, in the 216,000 slots that end with this one',
    }),
    is_counted: Type.Boolean({
      description:
        'Whether sums count it: of one slot and one wallet, or of a wallet with 3 repeats or more',
    }),
    attackers: Type.Array(accountAddress({ description: 'Wallet' }), {
      description: 'One wallet, or the two of link amount',
    }),
    victims: count({
      description: 'Swaps between the legs that lost; of a refused bracket, that lie there',
    }),
    loss_lamports: loss,
    gain_of_others_lamports: unbounded({
      description: 'Gained by others between the legs; not subtracted from losses',
    }),
    profit_lamports: nullable(
      unbounded({
        description: 'Profit of the attacker, on the quantity that matches; null: not computed',
      }),
    ),
    profit_excludes: Type.Array(Type.String(), {
      description: 'Costs of the attacker that no stored field states',
    }),
    legs: Type.Array(leg, {
      description: 'In execution order; of a refused bracket without those between',
    }),
  },
  { $id: 'MevSandwich' },
)
export type SandwichAnswer = Static<typeof sandwich>

const period = {
  from: Type.Optional(fromMs),
  to: Type.Optional(toMs),
}
const pools = {
  pair_address: Type.Optional(accountAddress({ description: 'Pool account' })),
  token_address: Type.Optional(accountAddress({ description: 'Token mint' })),
  dex: Type.Optional(dexFilter),
}
const wallets = {
  wallet: Type.Optional(accountAddress({ description: 'Wallet of a victim' })),
  attacker: Type.Optional(accountAddress({ description: 'Wallet of a leg' })),
}
const include = Type.Optional(
  Type.Enum(['wide'], {
    title: 'MevInclude',
    description: 'wide: also sandwiches that sums do not count, of several slots or of two wallets',
  }),
)

export const listed = Type.Object({
  ...{ ...wallets, ...pools, ...period },
  min_loss_lamports: Type.Optional(
    Type.Unsafe<Int64>(
      Type.Integer({
        format: 'int64',
        minimum: 0,
        description: 'Least loss of all victims, its lower bound',
      }),
    ),
  ),
  width: Type.Optional(
    Type.Enum([...SANDWICH_WIDTHS], {
      title: 'MevWidth',
      description: 'Sandwiches of this width only',
    }),
  ),
  include,
  rejected: Type.Boolean({
    default: false,
    description: 'true: the refused brackets instead, with their verdict',
  }),
  limit: limit(LIMIT.max, LIMIT.usual),
  cursor: Type.Optional(cursor),
  order,
})

export const sandwichList = pagedList(sandwich)

export const ofTransaction = Type.Object({
  signature: signature({ description: 'Transaction signature' }),
})

const backrun = Type.Object(
  {
    after: signature({ description: 'Transaction of the swap that it directly follows' }),
    profit_lamports: unbounded({
      description: 'Profit of the transaction, by the quantity that matches',
    }),
  },
  { title: 'MevBackrun' },
)

const roleOfSwap = Type.Object(
  {
    pair_address: accountAddress({ description: 'Pool account' }),
    token_address: accountAddress({ description: 'Token mint' }),
    wallet: accountAddress({ description: 'Wallet that traded' }),
    ix_index: Type.Integer({ description: 'Index within the transaction, by its decoder' }),
    is_buy: isBuy,
    sol_amount: int64({ description: 'SOL leg, lamports' }),
    token_amount: int64({ description: 'Token leg, base units' }),
    role: nullable(
      Type.Enum(['front', 'victim', 'back', 'backrun'], {
        title: 'MevRole',
        description:
          'Part in a sandwich, or backrun: follows a swap with a profit and takes nothing from it; null: none',
      }),
    ),
    loss: Type.Union([lossOfSwap, Type.Null()], { description: 'Loss of a victim; else null' }),
    backrun: Type.Union([backrun, Type.Null()], { description: 'Facts of a back-run; else null' }),
    sandwich: Type.Union([sandwich, Type.Null()], { description: 'null: no part of one' }),
  },
  { title: 'MevTransactionSwap' },
)
export type RoleAnswer = Static<typeof roleOfSwap>

export const transactionAnswer = Type.Object(
  {
    signature: signature({ description: 'Transaction signature' }),
    slot: int64({ description: 'Block slot' }),
    status: Type.Enum(['settled', 'pending'], {
      title: 'MevStatus',
      description: 'pending: swaps up to 16 slots later may still change the answer',
    }),
    swaps: Type.Array(roleOfSwap, {
      description: 'In canonical order; a swap of several sandwiches is listed with each',
    }),
  },
  { title: 'MevTransaction' },
)
export type TransactionAnswer = Static<typeof transactionAnswer>

const sums = {
  sandwiches: count({ description: 'Sandwiches' }),
  victims: count({ description: 'Swaps that lost' }),
  loss_lamports: loss,
  exact_share: nullable(
    Type.Number({ description: 'Share of the victims whose losses are exact; null without any' }),
  ),
  profit_lamports: unbounded({ description: 'Profit of the attackers' }),
}
const totals = Type.Object(sums, { title: 'MevTotals' })
export type TotalsAnswer = Static<typeof totals>
const isComplete = Type.Boolean({
  description:
    'Whether every swap up to the end of its time is searched and settled, 16 slots later; without an end, whether every stored swap is searched',
})

export const summed = Type.Object({
  by: Type.Enum([...SUMMARY_KEYS], {
    title: 'MevSummaryKey',
    default: 'day',
    description: 'day: of the victim, UTC; wallet: of the victim; attacker: of the legs',
  }),
  ...{ ...wallets, ...pools, ...period },
  include,
  limit: limit(GROUPS.max, GROUPS.usual),
})

export const summaryAnswer = Type.Object(
  {
    by: Type.Enum([...SUMMARY_KEYS], { title: 'MevSummaryKey', description: 'As requested' }),
    complete: isComplete,
    total: totals,
    rows: Type.Array(
      Type.Object(
        {
          key: Type.String({ description: 'Date, address or DexId' }),
          ...sums,
          complete: isComplete,
        },
        { title: 'MevSummaryRow' },
      ),
      { description: 'The largest losses first; days by date, the newest first' },
    ),
  },
  { title: 'MevSummary' },
)
export type SummaryAnswer = Static<typeof summaryAnswer>

export const ofWallet = Type.Object({ wallet, ...period, include })

export const walletAnswer = Type.Object(
  {
    wallet: accountAddress({ description: 'Wallet' }),
    complete: isComplete,
    suffered: totals,
    made: totals,
    days: Type.Array(
      Type.Object(
        {
          day: utcDate({ description: 'UTC day of the victims' }),
          suffered: totals,
          made: totals,
          complete: isComplete,
        },
        { title: 'MevWalletDay' },
      ),
      { description: 'Days with a sandwich, the newest first' },
    ),
  },
  { title: 'MevWallet' },
)
export type WalletAnswer = Static<typeof walletAnswer>
