/** A quote as the API shows it. Pure. */
import { int64 } from '../../../domain/amount.ts'
import type { Bounds } from '../../../domain/market/evidence.ts'
import type { NotPriced, Priced, Trade } from '../../../domain/market/quote.ts'
import { ASSUMED_FEES } from '../../../domain/venue.ts'
import type { QuoteRead } from './read.ts'
import type { QuoteAnswer } from './schema.ts'

const NO_FIGURES = {
  sol_lamports: null,
  tokens: null,
  pool_fee_lamports: null,
  pool_fee_tokens: null,
  outside_fees_lamports: null,
  outside_fees_source: null,
  total_lamports: null,
  price_impact_bps: null,
  evidence_swaps: 0,
}

type Quoted = {
  readonly pair: string
  readonly trade: Trade
  readonly assumedBps: number
  readonly read: QuoteRead
  readonly found: Priced | NotPriced
}

export function presentQuote({ pair, trade, assumedBps, read, found }: Quoted): QuoteAnswer {
  return {
    pair_address: pair,
    token_address: read.tokenAddress,
    dex: found.state?.dex ?? null,
    decimals: read.decimals,
    is_buy: trade.isBuy,
    slot: read.slot,
    basis: found.basis,
    reason: found.basis === 'none' ? found.reason : null,
    state: presentState(found),
    ...(found.basis === 'none' ? NO_FIGURES : presentFigures(found)),
    assumptions: {
      [ASSUMED_FEES]: assumedBps,
      is_fee_unchanged: found.basis === 'bounded',
    },
  }
}

function presentState(found: Priced | NotPriced): QuoteAnswer['state'] {
  const { state } = found
  if (state === undefined) return null
  const held = found.basis === 'none' ? undefined : found.held?.price
  return {
    signature: state.signature,
    slot: state.slot,
    block_tx_index: state.blockTxIndex,
    ix_index: state.ixIndex,
    timestamp: state.timestamp,
    sol_reserves: held === undefined ? null : held.sol,
    token_reserves: held === undefined ? null : held.tokens,
    unreported_lamports: found.basis === 'none' ? 0 : found.unreported,
  }
}

function presentFigures(found: Priced) {
  const { poolFee } = found
  return {
    sol_lamports: presentRange(found.sol),
    tokens: presentRange(found.tokens),
    pool_fee_lamports: poolFee === undefined ? null : int64(poolFee.sol),
    pool_fee_tokens: poolFee === undefined ? null : int64(poolFee.tokens),
    outside_fees_lamports: presentRange(found.outside),
    outside_fees_source: found.outsideSource,
    total_lamports: presentRange(found.total),
    price_impact_bps: found.impactBps === undefined ? null : presentRange(found.impactBps),
    evidence_swaps: found.evidence,
  }
}

const presentRange = ({ low, high }: Bounds) => ({ low, high })
