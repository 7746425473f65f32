/** Results of copy back-tests as the interface shows them: the same for REST, GraphQL, MCP and `swaptide backtest copy --json`. Pure. */
import { divideExact } from '../../../domain/amount.ts'
import type { Copied } from '../../../domain/market/copy/run.ts'
import type { CopySettings } from '../../../domain/market/copy/settings.ts'
import type { CopyTotals } from '../../../domain/market/copy/totals.ts'
import type { Bounds } from '../../../domain/market/evidence.ts'
import { ASSUMED_FEES } from '../../../domain/venue.ts'
import { presentGaps, type TimedGap } from '../coverage/present.ts'
import type { CopyQuestion } from './question/read.ts'
import type { CopyResult } from './run.ts'
import type { ChosenRequest, CopyAnswer, CopyRunAnswer, CopyTradeAnswer } from './schema.ts'

type Shown = Pick<CopyQuestion, 'toSlot' | 'newestSlot'> & {
  readonly gaps: readonly TimedGap[]
  readonly assumedBps: number
  readonly chosen: Pick<ChosenRequest, 'wallets' | 'leaders'>
}

/** An answer without what depends on the way in which it is requested. */
export type CopyFindings = Omit<CopyAnswer, 'id' | 'trades' | 'next_cursor' | 'result_hash'>

export function presentCopies(
  results: readonly CopyResult[],
  { toSlot, newestSlot, gaps, assumedBps, chosen }: Shown,
): CopyFindings {
  return {
    as_of: {
      slot: toSlot,
      newest_slot: newestSlot,
      coverage_gaps: presentGaps(gaps, Number.NEGATIVE_INFINITY).coverage_gaps ?? [],
    },
    selection: chosen.leaders === undefined ? 'given' : 'as_of',
    leaders:
      chosen.leaders === undefined ? null : { ...chosen.leaders, wallets: [...chosen.wallets] },
    assumptions: {
      impact: 'isolated',
      [ASSUMED_FEES]: assumedBps,
      is_fee_unchanged: results.some(({ totals }) => totals.bounded > 0),
    },
    runs: results.map(presentRun),
  }
}

/** How many trades all runs have. */
export const countTrades = (results: readonly CopyResult[]): number =>
  results.reduce((sum, { copied }) => sum + copied.length, 0)

/** Trades by their index over all runs, from `first` to before `end`. */
export function presentTrades(
  results: readonly CopyResult[],
  first: number,
  end: number,
): CopyTradeAnswer[] {
  let before = 0
  return results.flatMap(({ copied }, run) => {
    const own = copied.slice(Math.max(0, first - before), Math.max(0, end - before))
    before += copied.length
    return own.map((each) => presentTrade(each, run))
  })
}

function presentRun({ settings, copied, totals, leader }: CopyResult): CopyRunAnswer {
  return {
    settings: presentSettings(settings),
    orders: copied.length,
    status: Object.fromEntries([...totals.statuses].sort(([a], [b]) => (a < b ? -1 : 1))),
    priced: {
      exact: totals.exact,
      bounded: totals.bounded,
      unpriced: totals.unpriced,
      fee_assumed: totals.feeAssumed,
      exact_share: totals.exactShare ?? null,
      exact_share_sol: totals.exactShareSol ?? null,
    },
    ...presentTotals(totals),
    leader: {
      cash_flow_lamports: leader.cashFlow,
      realized_strict_lamports: leader.realizedStrict,
      is_arbitrageur: leader.isArbitrageur,
    },
    open: totals.open.map(({ sleeve, priced, value }) => ({
      ...{ wallet: sleeve.leader, mint: sleeve.mint, pair_address: sleeve.pair },
      ...{ tokens: presentRange(sleeve.held), cost_lamports: sleeve.cost },
      ...{ value_lamports: presentRange(value), priced },
    })),
  }
}

function presentTotals(totals: CopyTotals) {
  const { pnl, capitalNeeded, wins } = totals
  return {
    spent_lamports: totals.spent,
    proceeds_lamports: presentRange(totals.proceeds),
    outside_fees_lamports: totals.outsideFees,
    tx_fees_lamports: totals.transactionFees,
    rent_lamports: totals.rent,
    value_lamports: presentRange(totals.value),
    pnl_lamports: presentRange(pnl),
    roi: { low: returnOf(pnl.low, capitalNeeded), high: returnOf(pnl.high, capitalNeeded) },
    capital_needed_lamports: capitalNeeded,
    sells: totals.sells,
    wins,
  }
}

function returnOf(pnl: bigint, capital: bigint): number | null {
  if (capital === 0n) return null
  return pnl < 0n ? -divideExact(-pnl, capital) : divideExact(pnl, capital)
}

function presentTrade(copied: Copied, run: number): CopyTradeAnswer {
  const { order, fillSlot, status, state, lamports, tokens, fee, realized } = copied
  return {
    run,
    copies: order.main.signature,
    wallet: order.leader,
    mint: order.mint,
    pair_address: order.main.pairAddress,
    is_buy: order.isBuy,
    slot: order.main.slot,
    fill_slot: fillSlot,
    status,
    state: state === undefined ? null : { signature: state.signature, ix_index: state.ixIndex },
    sol_lamports: presentRange(lamports),
    tokens: presentRange(tokens),
    fee_lamports: fee,
    realized_lamports: realized === undefined ? null : presentRange(realized),
  }
}

function presentSettings(settings: CopySettings): CopyRunAnswer['settings'] {
  const { size } = settings
  return {
    from_slot: settings.fromSlot,
    to_slot: settings.toSlot,
    delay_slots: settings.delaySlots,
    position: settings.position,
    size_lamports: 'lamports' in size ? size.lamports : null,
    ratio_ppm: 'ratioPpm' in size ? size.ratioPpm : null,
    leader_min_lamports: settings.leaderMin,
    leader_max_lamports: settings.leaderMax ?? null,
    repeat_buys: settings.repeatBuys,
    open_max: settings.openMax ?? null,
    trade_min_lamports: settings.tradeMin,
    trade_max_lamports: settings.tradeMax ?? null,
    token_max_lamports: settings.tokenMax ?? null,
    capital_lamports: settings.capital ?? null,
    slippage_bps: Number(settings.slippageBps),
    sell_slippage_bps: Number(settings.sellSlippageBps),
    extra_fee_bps: Number(settings.extraFeeBps),
    [ASSUMED_FEES]: Number(settings.assumedFeeBps),
    base_fee_lamports: settings.baseFee,
    priority_fee_lamports: settings.priorityFee,
    rent_lamports: settings.rent,
  }
}

const presentRange = ({ low, high }: Bounds) => ({ low, high })
