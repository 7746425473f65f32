/** Settings of the runs of a request: one for each delay and size. Pure. */
import type { CopySettings } from '../../../domain/market/copy/settings.ts'
import { ASSUMED_FEES } from '../../../domain/venue.ts'
import { ApiError } from '../../routing/error.ts'
import { type CopyRequest, RUNS_MAX } from './schema.ts'

/** The settings of a run but its slots. */
export type RunSettings = Omit<CopySettings, 'fromSlot' | 'toSlot'>

/** Throws ApiError. */
export function runSettings(request: CopyRequest): RunSettings[] {
  const { delay_slots: delays } = request
  const sizes = sizesOf(request)
  const count = delays.length * sizes.length
  if (count > RUNS_MAX) {
    throw new ApiError(
      'INVALID_PARAM',
      `delay_slots and size_lamports make ${count} runs: expected at most ${RUNS_MAX}`,
    )
  }
  const others = otherSettings(request)
  return delays.flatMap((delaySlots) => sizes.map((size) => ({ ...others, delaySlots, size })))
}

function sizesOf({ size_lamports: sizes, ratio_ppm: ratio }: CopyRequest): CopySettings['size'][] {
  if (sizes !== undefined && ratio !== undefined) {
    throw new ApiError('INVALID_PARAM', 'size_lamports and ratio_ppm exclude each other')
  }
  if (sizes !== undefined) return sizes.map((lamports) => ({ lamports: BigInt(lamports) }))
  if (ratio !== undefined) return [{ ratioPpm: BigInt(ratio) }]
  throw new ApiError('INVALID_PARAM', 'size_lamports or ratio_ppm is required')
}

function otherSettings(request: CopyRequest): Omit<RunSettings, 'delaySlots' | 'size'> {
  const {
    leader_max_lamports: leaderMax,
    trade_max_lamports: tradeMax,
    token_max_lamports: tokenMax,
    capital_lamports: capital,
  } = request
  return {
    position: request.position,
    leaderMin: BigInt(request.leader_min_lamports),
    leaderMax: exact(leaderMax),
    repeatBuys: request.repeat_buys,
    openMax: request.open_max,
    tradeMin: BigInt(request.trade_min_lamports),
    tradeMax: exact(tradeMax),
    tokenMax: exact(tokenMax),
    capital: exact(capital),
    slippageBps: BigInt(request.slippage_bps),
    sellSlippageBps: BigInt(request.sell_slippage_bps),
    extraFeeBps: BigInt(request.extra_fee_bps),
    assumedFeeBps: BigInt(request[ASSUMED_FEES]),
    baseFee: BigInt(request.base_fee_lamports),
    priorityFee: BigInt(request.priority_fee_lamports),
    rent: BigInt(request.rent_lamports),
  }
}

const exact = (given: number | undefined): bigint | undefined =>
  given === undefined ? undefined : BigInt(given)
