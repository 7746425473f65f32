/**
 * A swap as its venue states it, before it is known which side is SOL; and the parts that the venues' readers
 * share. Pure.
 */

import type { Span } from '../transaction/token-moves.ts'
import { accountOf, type Call, spanOf, transfersIn } from './call.ts'

export const WSOL_MINT = 'So11111111111111111111111111111111111111112'

/** One side of a swap: the amount that the pool received (input) or sent (output). */
export type Side = {
  readonly mint: string
  /** Undefined where neither the event nor a balance has it. */
  readonly decimals: number | undefined
  /** Base units of the pool's leg. */
  readonly baseUnits: bigint
  /**
   * Token-2022 fee outside the leg: paid on top of an input, lost from an output. Undefined where the event does not state
   * it: it then follows from the transfers.
   */
  readonly transferFee: bigint | undefined
  /** Reserves of the pool after the trade; undefined where the venue has none. */
  readonly reserve: bigint | undefined
  /** Whether the reserve is one before the trade, moved by the leg. */
  readonly hasMovedReserve: boolean
  /** Index of the vault's key where its balance shows the leg. */
  readonly vault: number | undefined
  /** Base units that the vault moves alongside the leg, in the leg's direction; negative: so much less. */
  readonly beside: bigint
  /** Whether the leg is what the vault moves; else that of a curve, which leaves fees outside. */
  readonly isVaultLeg: boolean
}

export type VenueSwap = {
  readonly pool: string
  /** Base58 of the account that the venue names as the trader; '' without one. */
  readonly trader: string
  readonly input: Side
  readonly output: Side
  /** The part of the call that is this swap, where it is not the whole call. */
  readonly span?: Span
  /** Fee of the liquidity providers in lamports; undefined where it is not known in SOL. */
  readonly fee?: bigint | undefined
  readonly feeBps?: bigint | undefined
  /** Fee in basis points of the SOL leg, of a venue that has one rate for all pools. */
  readonly fixedFeeBps?: bigint
  readonly creatorFee?: bigint | undefined
  readonly creatorFeeBps?: bigint | undefined
  readonly cashback?: bigint | undefined
  readonly cashbackBps?: bigint | undefined
  /** Virtual reserves after the trade, in lamports and in base units of the token. */
  readonly virtualSol?: bigint | undefined
  readonly virtualToken?: bigint | undefined
  /** Lamports in addition to the reported reserve that count into the price. */
  readonly virtualQuote?: bigint | undefined
  /** Fees of protocol and creator outside the legs. */
  readonly outside?: OutsideBps | undefined
  readonly priceBefore?: SqrtPrice | undefined
  readonly priceAfter?: SqrtPrice | undefined
}

/** Basis points of the SOL leg without the fee of the liquidity providers. */
export type OutsideBps = { readonly protocol: number; readonly creator: number }

/** Square root of base units of `quote` for one of `base`, times 2^64. */
export type SqrtPrice = { readonly sqrtX64: bigint; readonly base: string }

/** The reason why a call is a swap, or changes a pool, without a line. */
export type Undecodable = 'no_event' | 'no_vault' | 'no_amounts' | 'unknown_pool'

export type SwapRead = VenueSwap | Undecodable

/** Reads the swaps of a call in execution order; none for any other call. */
export type SwapReader = (call: Call) => readonly SwapRead[]

export type Sides = Pick<VenueSwap, 'input' | 'output'>

/** Facts of a side that not every event states. */
export type StatedSide = {
  readonly transferFee?: bigint | undefined
  /** Absent: the balance of the vault after the swap. */
  readonly reserve?: bigint | undefined
  readonly hasMovedReserve?: boolean
  readonly beside?: bigint
  readonly isVaultLeg?: boolean
  /** The swap's part of the call. */
  readonly span?: Span | undefined
}

/** A side whose vault is at that position of the call; undefined where the vault has no balance. */
export function vaultSide(
  call: Call,
  position: number,
  baseUnits: bigint | undefined,
  stated: StatedSide = {},
): Side | undefined {
  return vaultSideAt(call, accountOf(call, position), baseUnits, stated)
}

/** The same of a vault whose key is known by its index. */
export function vaultSideAt(
  call: Call,
  vault: number | undefined,
  baseUnits: bigint | undefined,
  stated: StatedSide = {},
): Side | undefined {
  const balance = vault === undefined ? undefined : call.transaction.tokenBalances.get(vault)
  if (vault === undefined || balance === undefined || baseUnits === undefined) return undefined
  const { span = spanOf(call), reserve, hasMovedReserve = false } = stated
  return {
    mint: balance.mint,
    decimals: balance.decimals,
    baseUnits,
    transferFee: stated.transferFee,
    reserve: reserve ?? call.moves().balanceAt(vault, span.to),
    hasMovedReserve: hasMovedReserve && reserve !== undefined,
    vault,
    beside: stated.beside ?? 0n,
    isVaultLeg: stated.isVaultLeg ?? true,
  }
}

/** A reserve before the trade, moved by the leg; `direction` is 1 of an input, -1 of an output. */
export function movedReserve(
  before: bigint | undefined,
  leg: bigint | undefined,
  direction: 1n | -1n,
): StatedSide {
  if (before === undefined || leg === undefined) return {}
  return { reserve: before + direction * leg, hasMovedReserve: true }
}

/**
 * Base units that a span moved through a vault, positive into it: by its balance, which is net of fees that no instruction
 * names, else the sum of the transfers.
 */
export function movedThrough(call: Call, vault: number, span: Span = spanOf(call)): bigint {
  const known = call.moves().movedWithin(vault, span)
  if (known !== undefined) return known
  let moved = 0n
  for (const transfer of transfersIn(call, span)) {
    if (transfer.destination === vault) moved += transfer.baseUnits - (transfer.fee ?? 0n)
    if (transfer.source === vault) moved -= transfer.baseUnits
  }
  return moved
}

/** The two sides of a swap without an event, from what moved through two vaults. */
export function sidesByTransfers(call: Call, first: number, second: number): Sides | undefined {
  const [a, b] = [accountOf(call, first), accountOf(call, second)]
  return a === undefined || b === undefined ? undefined : sidesOfVaults(call, a, b)
}

/** The same of vaults whose keys are known by their indexes. */
export function sidesOfVaults(
  call: Call,
  a: number,
  b: number,
  span: Span = spanOf(call),
): Sides | undefined {
  const [movedA, movedB] = [movedThrough(call, a, span), movedThrough(call, b, span)]
  const isFirstIn = movedA > 0n
  // A pool may send nothing for a few base units.
  if (isFirstIn ? movedB > 0n : movedB <= 0n || movedA > 0n) return undefined
  const [vaultIn, vaultOut] = isFirstIn ? [a, b] : [b, a]
  const input = vaultSideAt(call, vaultIn, isFirstIn ? movedA : movedB, { span })
  const output = vaultSideAt(call, vaultOut, isFirstIn ? -movedB : -movedA, { span })
  return input === undefined || output === undefined ? undefined : { input, output }
}

/**
 * Base units of a share (of a referrer or host) that a vault paid out within the call, in addition to what it paid to the trader.
 * 0 where no transfer of that amount left it.
 */
export function shareLeft(
  call: Call,
  position: number,
  share: bigint | undefined,
  isOutput: boolean,
): bigint {
  if (share === undefined || share === 0n) return 0n
  const vault = accountOf(call, position)
  const sent = transfersIn(call).filter(({ source }) => source === vault)
  if (isOutput && sent.length < 2) return 0n
  return sent.some(({ baseUnits }) => baseUnits === share) ? share : 0n
}
