/**
 * A swap as its venue states it, as the line that it becomes. Pure.
 */
import { INT64_MAX, type Int64, int64 } from '../../domain/amount.ts'
import { SWAP_DEFAULTS, type Swap } from '../../domain/events/swap.ts'
import type { DexId } from '../../domain/venue.ts'
import type { ChainBlock } from '../transaction/transaction.ts'
import type { Call } from './call.ts'
import { type Side, type SqrtPrice, type VenueSwap, WSOL_MINT } from './venue-swap.ts'

/** The reason why a swap that was read yields no line. */
export type Unlisted =
  | 'no_sol_side'
  | 'no_decimals'
  | 'no_amount'
  | 'amount_out_of_range'
  | 'no_block_time'

const BPS = 10_000n

export function lineOf(
  block: ChainBlock,
  call: Call,
  dex: DexId,
  ixIndex: number,
  swap: VenueSwap,
): Swap | Unlisted {
  const { transaction } = call
  const isBuy = swap.input.mint === WSOL_MINT
  if (isBuy === (swap.output.mint === WSOL_MINT)) return 'no_sol_side'
  const [sol, token] = isBuy ? [swap.input, swap.output] : [swap.output, swap.input]
  if (token.decimals === undefined) return 'no_decimals'
  if (token.baseUnits <= 0n) return 'no_amount'
  if (sol.baseUnits < 0n) return 'amount_out_of_range'
  if (sol.baseUnits > INT64_MAX || token.baseUnits > INT64_MAX) return 'amount_out_of_range'
  if (block.timestamp === undefined) return 'no_block_time'
  return {
    ...SWAP_DEFAULTS,
    blockhash: undefined,
    signature: transaction.signature,
    slot: block.slot,
    timestamp: block.timestamp,
    tokenAddress: token.mint,
    pairAddress: swap.pool,
    user: traderOf(call, swap.trader),
    isBuy,
    dex,
    solAmount: int64(sol.baseUnits),
    tokenAmount: int64(token.baseUnits),
    ...feeOf(swap, sol),
    creatorFee: amountOr0(swap.creatorFee),
    creatorFeeBps: Number(amountOr0(swap.creatorFeeBps)),
    quoteDecimals: token.decimals,
    virtualSolReserves: amountOr0(swap.virtualSol),
    virtualTokenReserves: amountOr0(swap.virtualToken),
    realSolReserves: amountOr0(sol.reserve),
    realTokenReserves: amountOr0(token.reserve),
    transferFeeIn: isBuy ? 0 : amountOr0(token.transferFee),
    transferFeeOut: isBuy ? amountOr0(token.transferFee) : 0,
    cashback: amountOr0(swap.cashback),
    cashbackBps: Number(amountOr0(swap.cashbackBps)),
    blockTxIndex: transaction.index ?? 0,
    ixIndex,
    priceBefore: priceOf(swap.priceBefore, token),
    priceAfter: priceOf(swap.priceAfter, token),
    virtualQuoteReserves: amountOf(swap.virtualQuote),
    outsideProtocolBps: swap.outside?.protocol,
    outsideCreatorBps: swap.outside?.creator,
  }
}

/** A fee that is not known in SOL is 0. */
function feeOf({ fee, feeBps, fixedFeeBps }: VenueSwap, sol: Side): { fee: Int64; feeBps: number } {
  if (fixedFeeBps !== undefined) {
    return { fee: amountOr0((sol.baseUnits * fixedFeeBps) / BPS), feeBps: Number(fixedFeeBps) }
  }
  return { fee: amountOr0(fee), feeBps: Number(amountOr0(feeBps)) }
}

/** The venue's trader where it signed, else the one that pays: routers swap with accounts of their own. */
function traderOf(call: Call, named: string): string {
  const { transaction } = call
  for (let index = 0; index < transaction.signerCount; index++) {
    if (transaction.key(index) === named) return named
  }
  return transaction.key(0)
}

/** Amounts beyond int64 or below 0 are no amounts of a pool: reserves of such count as unknown. */
export const amountOr0 = (baseUnits: bigint | undefined): Int64 => amountOf(baseUnits) ?? 0

function amountOf(baseUnits: bigint | undefined): Int64 | undefined {
  if (baseUnits === undefined || baseUnits < 0n || baseUnits > INT64_MAX) return undefined
  return int64(baseUnits)
}

const TWO_TO_64 = 2 ** 64
const SOL_DECIMALS = 9

/** SOL for a whole token; undefined where the venue published no price. */
function priceOf(price: SqrtPrice | undefined, token: Side): number | undefined {
  if (price === undefined || price.sqrtX64 === 0n || token.decimals === undefined) return undefined
  const root = Number(price.sqrtX64) / TWO_TO_64
  const ratio = price.base === token.mint ? root * root : 1 / (root * root)
  return ratio * 10 ** (token.decimals - SOL_DECIMALS)
}
