/**
 * Compares the amounts of a transaction's swaps with the balances of the pools' vaults
 * (docs/decisions/0066-lines-follow-the-vaults.md). Pure.
 *
 * A vault must move by the leg of its swap. Where it did not, the line follows the vault:
 *
 * - An event that states an amount before a fee that Token-2022 withheld: the leg is what the vault received, the difference
 *   is the transfer fee.
 * - Any other difference is a mismatch: the leg is that of the vault, and nothing else of the event is believed.
 * - Where the leg is not what the vault moves (a curve), or the vault moved the other way, there is no line.
 * - Where several swaps share a vault whose balance does not show the part of each, their sum must be right.
 */
import type { DexId } from '../../domain/venue.ts'
import { isIn, type Span, statedNet } from '../transaction/token-moves.ts'
import type { ChainTransaction } from '../transaction/transaction.ts'
import type { PlacedTransfer } from '../transaction/transfers.ts'
import { type Call, spanOf, transfersIn } from './call.ts'
import type { Side, VenueSwap } from './venue-swap.ts'

/** A vault whose balance did not move by the leg of its swap. */
export type Mismatch = {
  readonly dex: DexId
  readonly signature: string
  readonly vault: string
  /** Base units, negative out of the vault. */
  readonly expected: bigint
  readonly actual: bigint
}

export type ReadSwap = { readonly dex: DexId; readonly call: Call; readonly swap: VenueSwap }

/** The swap with the amounts that hold; undefined where the vaults contradict it. */
export type Settled = VenueSwap | undefined

type SideResult = {
  readonly side: Side
  readonly state: 'sound' | 'unchecked' | 'corrected' | 'contradicted'
  /** Base units that the vault moved, negative out of it; undefined where they are not known. */
  readonly moved: bigint | undefined
}

/** The swaps of a transaction in their order, each as it holds. */
export function settle(
  transaction: ChainTransaction,
  swaps: readonly ReadSwap[],
  mismatches: Mismatch[],
): Settled[] {
  const unchecked: UncheckedSide[] = []
  const settled = swaps.map((read, index): Settled => {
    const { call, swap } = read
    const span = swap.span ?? spanOf(call)
    const input = settleSide(call, swap.input, span, true)
    const output = settleSide(call, swap.output, span, false)
    for (const [result, sign] of [
      [input, 1n],
      [output, -1n],
    ] as const) {
      const { vault } = result.side
      if (vault === undefined || result.state === 'sound') continue
      const expected = sign * legOfVault(sign === 1n ? swap.input : swap.output)
      if (result.state === 'unchecked') unchecked.push({ index, span, vault, expected, read })
      else mismatches.push(mismatchOf(read, vault, expected, result.moved ?? 0n))
    }
    return settledSwap(call, swap, input, output, span)
  })
  for (const index of contradictedBySum(transaction, unchecked, mismatches)) {
    settled[index] = undefined
  }
  return settled
}

function settledSwap(
  call: Call,
  swap: VenueSwap,
  input: SideResult,
  output: SideResult,
  span: Span,
): Settled {
  const both = [input, output]
  if (both.some(({ state }) => state === 'contradicted')) return undefined
  if (both.every(({ state }) => state !== 'corrected')) {
    return { ...swap, input: input.side, output: output.side }
  }
  // The event is not believed: both legs must be those of vaults.
  if (both.some(({ side, moved }) => moved === undefined || !side.isVaultLeg)) return undefined
  return {
    pool: swap.pool,
    trader: swap.trader,
    input: { ...input.side, reserve: reserveOfVault(call, input.side, span) },
    output: { ...output.side, reserve: reserveOfVault(call, output.side, span) },
    ...(swap.fixedFeeBps === undefined ? {} : { fixedFeeBps: swap.fixedFeeBps }),
  }
}

const reserveOfVault = (call: Call, { vault }: Side, { to }: Span): bigint | undefined =>
  vault === undefined ? undefined : call.moves().balanceAt(vault, to)

const legOfVault = ({ baseUnits, beside }: Side): bigint => baseUnits + beside

function settleSide(call: Call, side: Side, span: Span, isInput: boolean): SideResult {
  const { vault } = side
  if (vault === undefined) {
    return { side: withFee(side, side.transferFee ?? 0n), state: 'sound', moved: undefined }
  }
  const transfers = transfersIn(call, span)
  const moved = call.moves().movedWithin(vault, span)
  const withheld = isInput ? withheldFrom(transfers, vault, moved) : undefined
  const feeOf = (): bigint | undefined =>
    isInput ? withheld : lostBy(call, transfers, vault, side.baseUnits)
  if (moved === undefined) {
    return {
      side: withFee(side, side.transferFee ?? feeOf() ?? excessOf(transfers, side)),
      state: 'unchecked',
      moved,
    }
  }
  const leg = (isInput ? moved : -moved) - side.beside
  if (leg === side.baseUnits) {
    return { side: withFee(side, side.transferFee ?? feeOf() ?? 0n), state: 'sound', moved }
  }
  if (leg <= 0n || !side.isVaultLeg) return { side, state: 'contradicted', moved }
  const corrected = withLeg(side, leg, isInput)
  if (isInput) {
    const isBeforeFee = withheld !== undefined && paidInto(transfers, vault) === side.baseUnits
    return {
      side: withFee(corrected, withheld ?? 0n),
      state: isBeforeFee ? 'sound' : 'corrected',
      moved,
    }
  }
  const lost = lostBy(call, transfers, vault, leg) ?? side.transferFee ?? 0n
  const isAfterFee = side.baseUnits + lost === leg
  return { side: withFee(corrected, lost), state: isAfterFee ? 'sound' : 'corrected', moved }
}

const withFee = (side: Side, transferFee: bigint): Side => ({ ...side, transferFee })

function withLeg(side: Side, leg: bigint, isInput: boolean): Side {
  const moved = isInput ? leg - side.baseUnits : side.baseUnits - leg
  const reserve =
    side.reserve === undefined || !side.hasMovedReserve ? side.reserve : side.reserve + moved
  return { ...side, baseUnits: leg, reserve }
}

const sumOf = (transfers: readonly PlacedTransfer[]): bigint =>
  transfers.reduce((sum, { baseUnits }) => sum + baseUnits, 0n)

const paidInto = (transfers: readonly PlacedTransfer[], vault: number): bigint =>
  sumOf(transfers.filter(({ destination }) => destination === vault))

/** Base units of the transfers into a vault that it did not receive. */
function withheldFrom(
  transfers: readonly PlacedTransfer[],
  vault: number,
  moved: bigint | undefined,
): bigint | undefined {
  if (moved === undefined) return undefined
  const left = sumOf(transfers.filter(({ source }) => source === vault))
  const withheld = paidInto(transfers, vault) - left - moved
  return withheld > 0n ? withheld : undefined
}

/** The excess of the transfer into the vault over a leg that is net of its fee. */
function excessOf(transfers: readonly PlacedTransfer[], { vault, baseUnits }: Side): bigint {
  const paid = transfers.find(({ destination }) => destination === vault)
  if (paid === undefined) return 0n
  const excess = paid.fee ?? paid.baseUnits - baseUnits
  return excess > 0n ? excess : 0n
}

/**
 * Base units that the receiver of an output did not get: a fee that the transfer names, else the shortfall of the receiver's
 * gain, where nothing else changed that account. A pool may send a part of the leg elsewhere: the first transfer counts.
 */
function lostBy(
  call: Call,
  transfers: readonly PlacedTransfer[],
  vault: number,
  leg: bigint,
): bigint | undefined {
  const sent = transfers.find(({ source }) => source === vault)
  if (sent === undefined) return undefined
  const isPart = (fee: bigint): boolean => fee > 0n && fee < leg
  if (sent.fee !== undefined) return isPart(sent.fee) ? sent.fee : undefined
  const receiver = sent.destination
  const balance = call.transaction.tokenBalances.get(receiver)
  if (balance === undefined) return undefined
  const moves = call.moves()
  if (moves.of(receiver).length !== 1 || moves.isChangedOtherwise(receiver)) return undefined
  const lost = sent.baseUnits - (balance.after - balance.before)
  return isPart(lost) ? lost : undefined
}

function mismatchOf(
  { call, dex }: ReadSwap,
  vault: number,
  expected: bigint,
  actual: bigint,
): Mismatch {
  const { transaction } = call
  return { dex, signature: transaction.signature, vault: transaction.key(vault), expected, actual }
}

type UncheckedSide = {
  readonly index: number
  readonly read: ReadSwap
  readonly span: Span
  readonly vault: number
  readonly expected: bigint
}

/** The swaps of vaults that did not move by the sum of their legs and of the transfers of others. */
function* contradictedBySum(
  transaction: ChainTransaction,
  unchecked: readonly UncheckedSide[],
  mismatches: Mismatch[],
): Generator<number> {
  for (const [vault, sides] of Map.groupBy(unchecked, (each) => each.vault)) {
    const balance = transaction.tokenBalances.get(vault)
    const [first] = sides
    if (balance === undefined || balance.isNew || first === undefined) continue
    const moves = first.read.call.moves()
    if (moves.isChangedOtherwise(vault)) continue
    const expected = moves
      .of(vault)
      .filter((each) => !sides.some(({ span }) => isIn(each, span)))
      .reduce(
        (sum, transfer) => sum + statedNet(transfer, vault),
        sides.reduce((sum, side) => sum + side.expected, 0n),
      )
    const actual = balance.after - balance.before
    if (expected === actual) continue
    mismatches.push(mismatchOf(first.read, vault, expected, actual))
    for (const { index } of sides) yield index
  }
}
