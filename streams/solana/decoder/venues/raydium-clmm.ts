/**
 * Venue 4, Raydium CLMM: concentrated liquidity. Pure.
 *
 * SwapEvent comes in the logs, one a pool: a call of the program's router swaps in several. Its amounts are those
 * that cross the user's accounts: on the input side the transfer fee lies in them and outside the leg.
 */
import { addressOf, balanceOf, type Call, keyOf, transfersIn } from '../call.ts'
import { RAYDIUM_CLMM_SWAPS } from '../layouts/instructions.ts'
import { type Fields, readFields } from '../layouts/layout.ts'
import { CLMM_SWAP } from '../layouts/published.ts'
import {
  type Side,
  type SwapRead,
  sidesByTransfers,
  type VenueSwap,
  vaultSideAt,
} from '../venue-swap.ts'

const SWAPS = new Set<string>(Object.values(RAYDIUM_CLMM_SWAPS).map(({ tag }) => tag))
const {
  payer: PAYER,
  pool: POOL,
  inputVault: INPUT_VAULT,
  outputVault: OUTPUT_VAULT,
} = RAYDIUM_CLMM_SWAPS.swap.at

export function readRaydiumClmm(call: Call): readonly SwapRead[] {
  const events = call.events.filter(
    ({ discriminator }) => discriminator === CLMM_SWAP.discriminator,
  )
  if (events.length > 0) {
    return events.map((event) =>
      readEvent(call, readFields(CLMM_SWAP, event.payload, event.offset)),
    )
  }
  if (!SWAPS.has(call.discriminator)) return []
  const sides = sidesByTransfers(call, INPUT_VAULT, OUTPUT_VAULT)
  return [
    sides === undefined
      ? 'no_event'
      : { pool: keyOf(call, POOL), trader: keyOf(call, PAYER), ...sides },
  ]
}

function readEvent(call: Call, event: Fields<typeof CLMM_SWAP>): SwapRead {
  const { amount_0: amount0, amount_1: amount1, zero_for_one: isZeroIn } = event
  if (amount0 === undefined || amount1 === undefined || isZeroIn === undefined) return 'no_amounts'
  const [fee0, fee1] = [event.transfer_fee_0 ?? 0n, event.transfer_fee_1 ?? 0n]
  const [paid, feeIn, sent, feeOut] = isZeroIn
    ? [amount0, fee0, amount1, fee1]
    : [amount1, fee1, amount0, fee0]
  const sides = sidesOf(call, paid, feeIn, sent, feeOut)
  if (sides === undefined) return 'no_vault'
  const base = isZeroIn ? sides.input.mint : sides.output.mint
  const swap: VenueSwap = {
    pool: addressOf(event.pool_state),
    trader: keyOf(call, PAYER),
    ...sides,
    priceAfter:
      event.sqrt_price_x64 === undefined ? undefined : { sqrtX64: event.sqrt_price_x64, base },
  }
  return swap
}

/** The vaults by their position, or in a call of the router by the transfers of these amounts. */
function sidesOf(
  call: Call,
  paid: bigint,
  feeIn: bigint,
  sent: bigint,
  feeOut: bigint,
): { input: Side; output: Side } | undefined {
  const isSingle = SWAPS.has(call.discriminator) && balanceOf(call, INPUT_VAULT) !== undefined
  const [vaultIn, vaultOut] = isSingle
    ? [call.instruction.accounts[INPUT_VAULT], call.instruction.accounts[OUTPUT_VAULT]]
    : [
        transfersIn(call).find(({ baseUnits }) => baseUnits === paid)?.destination,
        transfersIn(call).find(({ baseUnits }) => baseUnits === sent)?.source,
      ]
  const input = vaultSideAt(call, vaultIn, paid - feeIn, feeIn)
  const output = vaultSideAt(call, vaultOut, sent, feeOut)
  return input === undefined || output === undefined ? undefined : { input, output }
}
