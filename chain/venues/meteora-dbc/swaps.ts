/**
 * Venue 8, Meteora dynamic bonding curve: launches that trade on a curve. Pure.
 *
 * EvtSwap2 comes by self-CPI, alongside EvtSwap of the same swap; older programs emit EvtSwap only. The curve's leg
 * in SOL leaves the fees outside, the token's leg is the amount that moved. The vault holds unclaimed fees, so that the
 * reserve is the event's; no event has the token's reserve. The fee of a sell is one of the quote, that of a buy one of the
 * quote or the token; it includes the creator's share, which no event states. Cut logs lose nothing.
 */
import { addressOf, type Call, type EmittedEvent, keyOf } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import {
  type Side,
  type SwapRead,
  shareLeft,
  vaultSide,
  WSOL_MINT,
} from '../../decoder/venue-swap.ts'
import { DBC_SWAP, DBC_SWAP2, DBC_SWAP2_WITH_HOOK } from './generated.ts'
import { DBC_SWAP_AT, DBC_SWAP_TAGS } from './layout.ts'

const { baseVault: BASE_VAULT, quoteVault: QUOTE_VAULT, payer: PAYER } = DBC_SWAP_AT

const BASE_TO_QUOTE = 0

const SWAPS = new Set<string>(DBC_SWAP_TAGS)

const SWAP2 = new Set<string>([DBC_SWAP2.discriminator, DBC_SWAP2_WITH_HOOK.discriminator])

/** Fields that both events carry. */
type Facts = {
  pool: Uint8Array | undefined
  isSell: boolean
  /** The amount that the trader paid, and the part of it that reached the curve. */
  paid: bigint | undefined
  paidToCurve: bigint | undefined
  sent: bigint | undefined
  /** Shares of the liquidity, of the protocol and of a referrer. */
  tradingFee: bigint | undefined
  protocolFee: bigint | undefined
  referralFee: bigint | undefined
  quoteReserve: bigint | undefined
  sqrtPrice: bigint | undefined
}

export function readSwaps(call: Call): readonly SwapRead[] {
  const newer = call.events.filter(({ discriminator }) => SWAP2.has(discriminator))
  if (newer.length > 0) return newer.map((event) => swapOf(call, factsOfSwap2(event)))
  const older = call.events.filter(({ discriminator }) => discriminator === DBC_SWAP.discriminator)
  if (older.length === 0 && SWAPS.has(call.discriminator)) return ['no_event']
  return older.map((event) => swapOf(call, factsOfSwap(event)))
}

function factsOfSwap2({ payload, offset }: EmittedEvent): Facts {
  const event = readFields(DBC_SWAP2, payload, offset)
  return {
    pool: event.pool,
    isSell: event.trade_direction === BASE_TO_QUOTE,
    paid: event['swap_result.included_fee_input_amount'],
    paidToCurve: event['swap_result.excluded_fee_input_amount'],
    sent: event['swap_result.output_amount'],
    tradingFee: event['swap_result.trading_fee'],
    protocolFee: event['swap_result.protocol_fee'],
    referralFee: event['swap_result.referral_fee'],
    quoteReserve: event.quote_reserve_amount,
    sqrtPrice: event['swap_result.next_sqrt_price'],
  }
}

function factsOfSwap({ payload, offset }: EmittedEvent): Facts {
  const event = readFields(DBC_SWAP, payload, offset)
  return {
    pool: event.pool,
    isSell: event.trade_direction === BASE_TO_QUOTE,
    paid: event.amount_in,
    paidToCurve: event['swap_result.actual_input_amount'],
    sent: event['swap_result.output_amount'],
    tradingFee: event['swap_result.trading_fee'],
    protocolFee: event['swap_result.protocol_fee'],
    referralFee: event['swap_result.referral_fee'],
    quoteReserve: undefined,
    sqrtPrice: event['swap_result.next_sqrt_price'],
  }
}

function swapOf(call: Call, facts: Facts): SwapRead {
  const { isSell, paid, paidToCurve, sent } = facts
  if (paid === undefined || paidToCurve === undefined || sent === undefined) return 'no_amounts'
  const sides = isSell
    ? sidesOfSell(call, facts, paid, sent)
    : sidesOfBuy(call, facts, paid, paidToCurve, sent)
  const { base, quote } = sides
  if (base === undefined || quote === undefined) return 'no_vault'
  const token = { ...base, reserve: undefined }
  const curve = { ...quote, reserve: facts.quoteReserve }
  // The fees of a sell are always taken from the quote that leaves the curve.
  const isFeeOfQuote = isSell || paidToCurve !== paid
  return {
    pool: addressOf(facts.pool),
    trader: keyOf(call, PAYER),
    input: isSell ? token : curve,
    output: isSell ? curve : token,
    fee: isFeeOfQuote && quote.mint === WSOL_MINT ? facts.tradingFee : undefined,
    priceAfter:
      facts.sqrtPrice === undefined ? undefined : { sqrtX64: facts.sqrtPrice, base: base.mint },
  }
}

type CurveSides = { base: Side | undefined; quote: Side | undefined }

function sidesOfSell(call: Call, facts: Facts, paid: bigint, sent: bigint): CurveSides {
  const { tradingFee = 0n, protocolFee = 0n, referralFee = 0n } = facts
  const fees = tradingFee + protocolFee + referralFee
  const beside = shareLeft(call, QUOTE_VAULT, referralFee, true) - fees
  return {
    base: vaultSide(call, BASE_VAULT, paid),
    quote: vaultSide(call, QUOTE_VAULT, sent + fees, { beside, isVaultLeg: false }),
  }
}

function sidesOfBuy(
  call: Call,
  { referralFee }: Facts,
  paid: bigint,
  paidToCurve: bigint,
  sent: bigint,
): CurveSides {
  const left = shareLeft(call, QUOTE_VAULT, referralFee, false)
  const beside = paid - paidToCurve - left
  return {
    base: vaultSide(call, BASE_VAULT, sent, {
      beside: shareLeft(call, BASE_VAULT, referralFee, true),
    }),
    quote: vaultSide(call, QUOTE_VAULT, paidToCurve, { beside, isVaultLeg: false }),
  }
}
