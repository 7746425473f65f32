/**
 * Venue 6, Orca Whirlpool: concentrated liquidity. Pure.
 *
 * Traded comes in the logs, one a pool, and two of a two-hop swap; programs of before 2025 log none, so that their legs
 * are the transfers through the vaults. The input of the event includes its transfer fee, which lies outside the leg; the fee
 * of the liquidity providers is one of the input. The reserves are the vaults' balances. Cut logs lose prices and fee.
 */
import { addressOf, type Call, type EmittedEvent, keyOf } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import {
  movedThrough,
  type SwapRead,
  sidesByTransfers,
  vaultSide,
  WSOL_MINT,
} from '../../decoder/venue-swap.ts'
import { ORCA_SWAPS, WHIRLPOOL_TRADED } from './layout.ts'

/** Positions of a pool, its two vaults and the trader in an instruction; a two-hop swap has two pools. */
type Hop = { pool: number; vaultA: number; vaultB: number; trader: number }

const HOPS: Readonly<Record<string, readonly Hop[]>> = {
  [ORCA_SWAPS.swap.tag]: [ORCA_SWAPS.swap.at],
  [ORCA_SWAPS.swapV2.tag]: [ORCA_SWAPS.swapV2.at],
  // two_hop_swap
  c360ed6c44a2dbe6: [
    { pool: 2, vaultA: 5, vaultB: 7, trader: 1 },
    { pool: 3, vaultA: 9, vaultB: 11, trader: 1 },
  ],
  // two_hop_swap_v2: its vaults are in the order of the trade
  ba8fd11dfe02c275: [
    { pool: 0, vaultA: 9, vaultB: 10, trader: 14 },
    { pool: 1, vaultA: 11, vaultB: 12, trader: 14 },
  ],
}

export function readSwaps(call: Call): readonly SwapRead[] {
  const hops = HOPS[call.discriminator]
  const events = call.events.filter(
    ({ discriminator }) => discriminator === WHIRLPOOL_TRADED.discriminator,
  )
  if (hops === undefined) return events.map(() => 'unknown_pool' as const)
  return hops.map((hop, at) => readHop(call, hop, events[at]))
}

function readHop(call: Call, hop: Hop, event: EmittedEvent | undefined): SwapRead {
  const pool = keyOf(call, hop.pool)
  const trader = keyOf(call, hop.trader)
  if (event === undefined) {
    const sides = sidesByTransfers(call, hop.vaultA, hop.vaultB)
    return sides === undefined ? 'no_event' : { pool, trader, ...sides }
  }
  const traded = readFields(WHIRLPOOL_TRADED, event.payload, event.offset)
  const { input_amount: paid, output_amount: sent, a_to_b: isAToB } = traded
  if (paid === undefined || sent === undefined || isAToB === undefined) return 'no_amounts'
  const [vaultIn, vaultOut] = vaultsOf(call, hop)
  const feeIn = traded.input_transfer_fee ?? 0n
  const input = vaultSide(call, vaultIn, paid - feeIn, { transferFee: feeIn })
  const output = vaultSide(call, vaultOut, sent, { transferFee: traded.output_transfer_fee })
  if (input === undefined || output === undefined) return 'no_vault'
  const base = isAToB ? input.mint : output.mint
  const price = (sqrtX64: bigint | undefined) =>
    sqrtX64 === undefined ? undefined : { sqrtX64, base }
  return {
    pool: addressOf(traded.whirlpool),
    trader,
    input,
    output,
    fee: input.mint === WSOL_MINT ? traded.lp_fee : undefined,
    priceBefore: price(traded.pre_sqrt_price),
    priceAfter: price(traded.post_sqrt_price),
  }
}

/** The vault that received and the one that sent, in an order that does not depend on the instruction's. */
function vaultsOf(call: Call, hop: Hop): [input: number, output: number] {
  const first = call.instruction.accounts[hop.vaultA]
  const isFirstIn = first !== undefined && movedThrough(call, first) > 0n
  return isFirstIn ? [hop.vaultA, hop.vaultB] : [hop.vaultB, hop.vaultA]
}
