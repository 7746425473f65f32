/**
 * A swap as its venue states it, before it is known which side is SOL; and the parts that the venues' readers
 * share. Pure.
 */
import { accountOf, balanceAfter, type Call, transfersIn } from './call.ts'
import type { TokenBalance } from './transaction.ts'
import { movedWithin, type PlacedTransfer } from './transfers.ts'

export const WSOL_MINT = 'So11111111111111111111111111111111111111112'

/** One side of a swap: the amount that the pool received (input) or sent (output). */
export type Side = {
  readonly mint: string
  /** Undefined where neither the event nor a balance has it. */
  readonly decimals: number | undefined
  /** Base units of the pool's leg. */
  readonly baseUnits: bigint
  /** Token-2022 fee outside the leg: paid on top of an input, lost from an output. */
  readonly transferFee: bigint
  /** Reserves of the pool after the trade; undefined where the venue has none. */
  readonly reserve: bigint | undefined
  /** Index of the vault's key where its balance must move by the leg exactly. */
  readonly vault: number | undefined
}

export type VenueSwap = {
  readonly pool: string
  /** Base58 of the account that the venue names as the trader; '' without one. */
  readonly trader: string
  readonly input: Side
  readonly output: Side
  /** Fee of the liquidity providers in lamports; undefined where it is not known in SOL. */
  readonly fee?: bigint | undefined
  readonly feeBps?: bigint | undefined
  readonly creatorFee?: bigint | undefined
  readonly creatorFeeBps?: bigint | undefined
  readonly cashback?: bigint | undefined
  readonly cashbackBps?: bigint | undefined
  /** Virtual reserves after the trade, in lamports and in base units of the token. */
  readonly virtualSol?: bigint | undefined
  readonly virtualToken?: bigint | undefined
  /** Lamports beside the reported reserve that count into the price. */
  readonly virtualQuote?: bigint | undefined
  readonly priceBefore?: SqrtPrice | undefined
  readonly priceAfter?: SqrtPrice | undefined
}

/** Square root of base units of `quote` for one of `base`, times 2^64. */
export type SqrtPrice = { readonly sqrtX64: bigint; readonly base: string }

/** The reason why a call is a swap without a line. */
export type Undecodable = 'no_event' | 'no_vault' | 'no_amounts' | 'unknown_pool'

export type SwapRead = VenueSwap | Undecodable

/** Reads the swaps of a call in execution order; none for any other call. */
export type SwapReader = (call: Call) => readonly SwapRead[]

/** A side whose vault is at that position of the call; undefined where the vault has no balance. */
export function vaultSide(
  call: Call,
  position: number,
  baseUnits: bigint | undefined,
  transferFee: bigint | undefined = 0n,
  reserve?: bigint | undefined,
): Side | undefined {
  return vaultSideAt(call, accountOf(call, position), baseUnits, transferFee, reserve)
}

/** The same of a vault whose key is known by its index. */
export function vaultSideAt(
  call: Call,
  vault: number | undefined,
  baseUnits: bigint | undefined,
  transferFee: bigint | undefined = 0n,
  reserve?: bigint | undefined,
): Side | undefined {
  const balance = vault === undefined ? undefined : call.transaction.tokenBalances.get(vault)
  if (vault === undefined || balance === undefined || baseUnits === undefined) return undefined
  return {
    mint: balance.mint,
    decimals: balance.decimals,
    baseUnits,
    transferFee: transferFee ?? 0n,
    reserve: reserve ?? balanceAfter(call, vault),
    vault,
  }
}

/**
 * Base units that a call moved through a vault, positive into it. If no other call touches the vault, the change of
 * its balance is used, which is net of fees that no instruction names; else the sum of the call's transfers.
 */
export function movedThrough(call: Call, vault: number): bigint {
  const alone = movedWithin(call.transaction, call.transfers(), vault, call.at, call.end)
  if (alone !== undefined) return alone
  let moved = 0n
  for (const transfer of transfersIn(call)) {
    if (transfer.destination === vault) moved += transfer.baseUnits - (transfer.fee ?? 0n)
    if (transfer.source === vault) moved -= transfer.baseUnits
  }
  return moved
}

/** The two sides of a call without an event, from the transfers through two vaults. */
export function sidesByTransfers(
  call: Call,
  first: number,
  second: number,
): { input: Side; output: Side } | undefined {
  const [a, b] = [accountOf(call, first), accountOf(call, second)]
  if (a === undefined || b === undefined) return undefined
  const [movedA, movedB] = [movedThrough(call, a), movedThrough(call, b)]
  const isFirstIn = movedA > 0n
  // A pool may send nothing for a few base units.
  if (isFirstIn ? movedB > 0n : movedB <= 0n || movedA > 0n) return undefined
  const input = vaultSide(call, isFirstIn ? first : second, isFirstIn ? movedA : movedB)
  const output = vaultSide(call, isFirstIn ? second : first, isFirstIn ? -movedB : -movedA)
  return input === undefined || output === undefined ? undefined : { input, output }
}

/**
 * Token-2022 fees that the event lacks: the excess of the transfer into the input's vault over the leg, and the
 * shortfall of the receiver's gain, where no other instruction touched that account.
 */
export function transferFees(call: Call, input: Side, output: Side): { input: Side; output: Side } {
  const inner = transfersIn(call)
  const paid = inner.find(({ destination }) => destination === input.vault)
  const sent = inner.find(({ source }) => source === output.vault)
  const feeIn = paid === undefined ? 0n : paid.baseUnits - input.baseUnits
  return {
    input: feeIn > 0n ? { ...input, transferFee: feeIn } : input,
    output: withFee(output, sent?.fee ?? lostBy(call, sent)),
  }
}

const withFee = (side: Side, fee: bigint): Side =>
  fee > 0n && fee < side.baseUnits ? { ...side, transferFee: fee } : side

/** A pool may send a part of the leg elsewhere: the transfer to the receiver counts. */
function lostBy(call: Call, sent: PlacedTransfer | undefined): bigint {
  const receiver = sent?.destination
  const balance: TokenBalance | undefined =
    receiver === undefined ? undefined : call.transaction.tokenBalances.get(receiver)
  if (sent === undefined || balance === undefined) return 0n
  const touching = call
    .transfers()
    .filter(({ source, destination }) => source === receiver || destination === receiver)
  return touching.length === 1 ? sent.baseUnits - (balance.after - balance.before) : 0n
}
