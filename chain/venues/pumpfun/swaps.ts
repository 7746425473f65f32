/**
 * Venue 1, pump.fun: a bonding curve that trades its token for SOL. Pure.
 *
 * TradeEvent, 129 to 397 bytes and longer, comes by self-CPI, and again in the logs of newer programs. Its amounts are the
 * curve's legs, fees outside; its reserves are those after the trade. Curves of other quotes than SOL name their mint.
 * Cut logs lose nothing.
 */

import { createHash } from 'node:crypto'
import { decodeBase58 } from '../../../domain/numbers/base58.ts'
import { accountOf, addressOf, type Call, keyOf, spanOf } from '../../decoder/call.ts'
import { type Fields, readFields } from '../../decoder/layout.ts'
import { type Side, type SwapRead, WSOL_MINT } from '../../decoder/venue-swap.ts'
import { payloadOf } from '../../transaction/transaction.ts'
import { u64At } from '../../transaction/transfers.ts'
import { PUMP_TRADE } from './generated.ts'
import { PUMP_SWAPS } from './layout.ts'

/** Position of the bonding curve by instruction. */
const CURVE_AT: ReadonlyMap<string, number> = new Map(
  Object.values(PUMP_SWAPS).map(({ tag, at }) => [tag, at.curve]),
)

/** Decimals of every token that the program mints. */
const DECIMALS = 6

export const SYSTEM_PROGRAM = '11111111111111111111111111111111'

export function readSwaps(call: Call): readonly SwapRead[] {
  const trades = call.events.filter(
    ({ discriminator }) => discriminator === PUMP_TRADE.discriminator,
  )
  if (trades.length === 0 && CURVE_AT.has(call.discriminator)) return ['no_event']
  return trades.map((event) => readTrade(call, readFields(PUMP_TRADE, event.payload, event.offset)))
}

function readTrade(call: Call, trade: Fields<typeof PUMP_TRADE>): SwapRead {
  const mint = addressOf(trade.mint)
  const { is_buy: isBuy, sol_amount: sol, token_amount: tokens } = trade
  if (isBuy === undefined || sol === undefined || tokens === undefined) return 'no_amounts'
  const pool = curveOf(call, trade.mint)
  if (pool === '') return 'unknown_pool'
  const solSide: Side = {
    mint: quoteMintOf(trade.quote_mint),
    decimals: undefined,
    baseUnits: sol,
    reserve: trade.real_sol_reserves,
    ...OF_EVENT,
  }
  const tokenSide: Side = {
    mint,
    decimals: decimalsOf(call, mint),
    baseUnits: tokens,
    reserve: trade.real_token_reserves,
    ...OF_EVENT,
  }
  return {
    pool,
    trader: addressOf(trade.user),
    input: isBuy ? solSide : tokenSide,
    output: isBuy ? tokenSide : solSide,
    fee: trade.fee ?? (isBuy ? feeOfBuy(call) : undefined),
    feeBps: trade.fee_basis_points,
    creatorFee: trade.creator_fee,
    creatorFeeBps: trade.creator_fee_basis_points,
    cashback: trade.cashback,
    cashbackBps: trade.cashback_fee_basis_points,
    virtualSol: trade.virtual_sol_reserves,
    virtualToken: trade.virtual_token_reserves,
  }
}

/** A curve's legs are those of its event. */
const OF_EVENT = {
  transferFee: 0n,
  hasMovedReserve: false,
  vault: undefined,
  beside: 0n,
  isVaultLeg: false,
} as const

/** First bytes of the system program's transfer. */
const SYSTEM_TRANSFER = 2

const SYSTEM_TRANSFER_BYTES = 12

/**
 * The fee that a buy pays to the fee recipient, of events that lack it. Of a sell the program moves the lamports itself, which
 * no instruction shows.
 */
function feeOfBuy(call: Call): bigint | undefined {
  const { tag, at } = PUMP_SWAPS.buy
  const recipient = accountOf(call, at.feeRecipient)
  if (call.discriminator !== tag || recipient === undefined) return undefined
  const { from, to } = spanOf(call)
  let fee: bigint | undefined
  for (const instruction of call.transaction.instructions.slice(from + 1, to)) {
    const { program, accounts } = instruction
    if (accounts[1] !== recipient || call.transaction.key(program) !== SYSTEM_PROGRAM) continue
    const payload = payloadOf(instruction)
    if (payload[0] !== SYSTEM_TRANSFER || payload.length < SYSTEM_TRANSFER_BYTES) continue
    fee = (fee ?? 0n) + u64At(payload, 4)
  }
  return fee
}

/** Old events lack the quote, and events of SOL curves may name none: both are SOL. */
function quoteMintOf(quote: Uint8Array | undefined): string {
  const mint = addressOf(quote)
  return mint === '' || mint === SYSTEM_PROGRAM ? WSOL_MINT : mint
}

function decimalsOf(call: Call, mint: string): number {
  for (const balance of call.transaction.tokenBalances.values()) {
    if (balance.mint === mint) return balance.decimals
  }
  return DECIMALS
}

/** The curve's account: known by its position, of instructions that are not known by its derivation. */
function curveOf(call: Call, mint: Uint8Array | undefined): string {
  const position = CURVE_AT.get(call.discriminator)
  if (position !== undefined) return keyOf(call, position)
  return mint === undefined ? '' : derivedCurve(call, mint)
}

const CURVE_SEED = Buffer.from('bonding-curve')

const DERIVED = Buffer.from('ProgramDerivedAddress')

/** The one account of the call that is a derived address of the mint's curve. */
function derivedCurve(call: Call, mint: Uint8Array): string {
  const program = decodeBase58(call.transaction.key(call.instruction.program))
  if (program === undefined) return ''
  const accounts = new Set(
    Array.from(call.instruction.accounts, (index) => call.transaction.key(index)),
  )
  for (let bump = 255; bump >= 0; bump--) {
    const seeds = [CURVE_SEED, mint, Uint8Array.of(bump), program, DERIVED]
    const digest = createHash('sha256').update(Buffer.concat(seeds)).digest()
    const derived = addressOf(digest)
    if (accounts.has(derived)) return derived
  }
  return ''
}
