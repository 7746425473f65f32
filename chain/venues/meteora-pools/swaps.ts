/**
 * Venue 10, Meteora dynamic AMM: pools whose tokens lie in vaults of another program. Pure.
 *
 * Swap comes in the logs and names neither pool nor direction: both follow from the vault that received the trader's
 * tokens. Vaults are shared by pools, so that there are no reserves of a pool and no balance to check a leg against. Cut logs
 * lose the fee, and the amounts are those of the transfers, which differ from the event's by a base unit of rounding.
 */
import { balanceOf, type Call, keyOf, transfersIn } from '../../decoder/call.ts'
import { type Fields, readFields } from '../../decoder/layout.ts'
import { type Side, type SwapRead, WSOL_MINT } from '../../decoder/venue-swap.ts'
import { DYNAMIC_AMM_SWAP, DYNAMIC_AMM_SWAPS } from './layout.ts'

const { tag: SWAP, at: AT } = DYNAMIC_AMM_SWAPS.swap

const {
  pool: POOL,
  tradersSource: TRADERS_SOURCE,
  vaultA: VAULT_A,
  vaultB: VAULT_B,
  trader: TRADER,
} = AT

export function readSwaps(call: Call): readonly SwapRead[] {
  const event = call.events.find(
    ({ discriminator }) => discriminator === DYNAMIC_AMM_SWAP.discriminator,
  )
  if (event === undefined) return call.discriminator === SWAP ? [readTransfers(call)] : []
  return [swapOf(call, readFields(DYNAMIC_AMM_SWAP, event.payload, event.offset))]
}

/** The event's input is all that the trader pays: the protocol's share bypasses the vault. */
function readTransfers(call: Call): SwapRead {
  const { sent } = transfersOfVaults(call)
  const amountIn = transfersIn(call)
    .filter(({ source }) => source === call.instruction.accounts[TRADERS_SOURCE])
    .reduce((sum, { baseUnits }) => sum + baseUnits, 0n)
  if (sent === undefined || amountIn === 0n) return 'no_event'
  return swapOf(call, { in_amount: amountIn, out_amount: sent.baseUnits })
}

function swapOf(call: Call, event: Fields<typeof DYNAMIC_AMM_SWAP>): SwapRead {
  const { in_amount: amountIn, out_amount: amountOut } = event
  if (amountIn === undefined || amountOut === undefined) return 'no_amounts'
  const { paid } = transfersOfVaults(call)
  if (paid === undefined) return 'no_vault'
  const isAIn = paid.destination === call.instruction.accounts[VAULT_A]
  const input = sideOf(call, isAIn ? VAULT_A : VAULT_B, amountIn)
  const output = sideOf(call, isAIn ? VAULT_B : VAULT_A, amountOut)
  if (input === undefined || output === undefined) return 'no_vault'
  return {
    pool: keyOf(call, POOL),
    trader: keyOf(call, TRADER),
    input,
    output,
    fee: input.mint === WSOL_MINT ? event.trade_fee : undefined,
  }
}

/** The transfer into one of the vaults, and the one out of the other. */
function transfersOfVaults(call: Call) {
  const { accounts } = call.instruction
  const vaults = [accounts[VAULT_A], accounts[VAULT_B]]
  const inner = transfersIn(call)
  return {
    paid: inner.find(({ destination }) => vaults.includes(destination)),
    sent: inner.find(({ source }) => vaults.includes(source)),
  }
}

function sideOf(call: Call, position: number, baseUnits: bigint): Side | undefined {
  const balance = balanceOf(call, position)
  if (balance === undefined) return undefined
  const { mint, decimals } = balance
  return {
    ...{ mint, decimals, baseUnits, transferFee: 0n, reserve: undefined, hasMovedReserve: false },
    ...{ vault: undefined, beside: 0n, isVaultLeg: false },
  }
}
