/**
 * Venue 2, PumpSwap: a constant product pool. Pure.
 *
 * BuyEvent and SellEvent come by self-CPI and again in the logs, so that cut logs lose nothing. Their names give the direction
 * of the base token, not of SOL: the base of a pool may be wrapped SOL. The quote's leg includes the fee of the liquidity
 * providers, and the fees of protocol and creator stay outside; the reserves are those before the trade. Newer events state
 * `virtual_quote_reserves`, which no vault holds and the price includes.
 *
 * The rates of protocol and creator are taken where they are all that the trader pays outside the leg: their fees, of the leg
 * without the providers' fee and each rounded up, are those of the event, and lead from the leg to what the trader paid or got.
 * An exact input names as `quote_amount_in` what was paid, and as `user_quote_amount_in` what is left of it in the end.
 */
import { ceilDivide } from '../../../domain/numbers/ceil-divide.ts'
import { addressOf, type Call } from '../../decoder/call.ts'
import { type Fields, readFields } from '../../decoder/layout.ts'
import {
  movedReserve,
  type OutsideBps,
  type SwapRead,
  vaultSide,
  WSOL_MINT,
} from '../../decoder/venue-swap.ts'
import { PUMPSWAP_BUY, PUMPSWAP_SELL } from './generated.ts'
import { PUMPSWAP_SWAPS } from './layout.ts'

/** The same in every swap instruction. */
const { baseVault, quoteVault } = PUMPSWAP_SWAPS.buy.at

const SWAPS = new Set<string>(Object.values(PUMPSWAP_SWAPS).map(({ tag }) => tag))

export function readSwaps(call: Call): readonly SwapRead[] {
  const swaps = readEvents(call)
  return swaps.length === 0 && SWAPS.has(call.discriminator) ? ['no_event'] : swaps
}

function readEvents(call: Call): readonly SwapRead[] {
  return call.events.flatMap(({ discriminator, payload, offset }) => {
    if (discriminator === PUMPSWAP_BUY.discriminator) {
      const event = readFields(PUMPSWAP_BUY, payload, offset)
      const { base_amount_out: base, quote_amount_in_with_lp_fee: quote } = event
      const totals = [event.user_quote_amount_in, event.quote_amount_in]
      return [swapOf(call, event, { isBaseIn: false, base, quote, totals })]
    }
    if (discriminator === PUMPSWAP_SELL.discriminator) {
      const event = readFields(PUMPSWAP_SELL, payload, offset)
      const { base_amount_in: base, quote_amount_out_without_lp_fee: quote } = event
      const totals = [event.user_quote_amount_out]
      return [swapOf(call, event, { isBaseIn: true, base, quote, totals })]
    }
    return []
  })
}

type Legs = {
  isBaseIn: boolean
  base: bigint | undefined
  quote: bigint | undefined
  /** One of these is what the trader paid or got of the quote. */
  totals: readonly (bigint | undefined)[]
}
type SwapEvent = Fields<typeof PUMPSWAP_BUY> | Fields<typeof PUMPSWAP_SELL>

function swapOf(call: Call, event: SwapEvent, legs: Legs): SwapRead {
  const { isBaseIn, base, quote } = legs
  const [baseBefore, quoteBefore] = [
    event.pool_base_token_reserves,
    event.pool_quote_token_reserves,
  ]
  const baseReserve = movedReserve(baseBefore, base, isBaseIn ? 1n : -1n)
  const quoteReserve = movedReserve(quoteBefore, quote, isBaseIn ? -1n : 1n)
  const baseSide = vaultSide(call, baseVault, base, baseReserve)
  const quoteSide = vaultSide(call, quoteVault, quote, quoteReserve)
  if (baseSide === undefined || quoteSide === undefined) return 'no_vault'
  const [input, output] = isBaseIn ? [baseSide, quoteSide] : [quoteSide, baseSide]
  const isQuoteSol = quoteSide.mint === WSOL_MINT
  return {
    pool: addressOf(event.pool),
    trader: addressOf(event.user),
    input,
    output,
    fee: isQuoteSol ? event.lp_fee : undefined,
    feeBps: event.lp_fee_basis_points,
    cashback: isQuoteSol ? event.cashback : undefined,
    cashbackBps: event.cashback_fee_basis_points,
    virtualQuote: isQuoteSol ? event.virtual_quote_reserves : undefined,
    outside: isQuoteSol ? outsideOf(event, legs) : undefined,
  }
}

const BPS = 10_000n

/** Undefined where other fees are outside the leg, or where the event does not state what the rates charge. */
function outsideOf(event: SwapEvent, { isBaseIn, quote, totals }: Legs): OutsideBps | undefined {
  const { lp_fee: lpFee, protocol_fee: protocolFee, protocol_fee_basis_points: protocol } = event
  // The oldest events are of a time without a fee of the creator.
  const { coin_creator_fee: creatorFee = 0n, coin_creator_fee_basis_points: creator = 0n } = event
  if (quote === undefined || lpFee === undefined || protocol === undefined) return undefined
  const charged = isBaseIn ? quote + lpFee : quote - lpFee
  if (charged < 0n) return undefined
  const isCharged = (fee: bigint | undefined, bps: bigint) =>
    bps <= BPS && fee === ceilDivide(charged * bps, BPS)
  if (!isCharged(protocolFee, protocol) || !isCharged(creatorFee, creator)) return undefined
  const outside = (protocolFee ?? 0n) + creatorFee
  if (!totals.includes(isBaseIn ? quote - outside : quote + outside)) return undefined
  return { protocol: Number(protocol), creator: Number(creator) }
}
