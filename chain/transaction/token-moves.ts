/**
 * Base units that the instructions of a transaction moved through its token accounts. Pure.
 *
 * An instruction states the base units that leave the source. Token-2022 withholds a fee of them at the destination, which
 * only some instructions name; the balances before and after the transaction show the rest. Where they do not show it,
 * the result is undefined: nothing is estimated.
 */
import { ceilDivide } from '../../domain/numbers/ceil-divide.ts'
import { isTokenProgram } from './token-program.ts'
import { type ChainTransaction, payloadOf } from './transaction.ts'
import { type PlacedTransfer, transfersOf } from './transfers.ts'

/** Positions in the execution order: the first one, and the one after the last. */
export type Span = { readonly from: number; readonly to: number }

const BPS = 10_000n

export class TokenMoves {
  readonly transfers: readonly PlacedTransfer[]
  readonly #transaction: ChainTransaction
  readonly #nets = new Map<number, ReadonlyMap<PlacedTransfer, bigint> | undefined>()
  /** By account, its transfers, and the positions of the other instructions that may change its balance. */
  #byAccount: ReadonlyMap<number, readonly PlacedTransfer[]> | undefined
  #others: ReadonlyMap<number, readonly number[]> | undefined

  constructor(transaction: ChainTransaction) {
    this.#transaction = transaction
    this.transfers = transfersOf(transaction)
  }

  /** Transfers into and out of an account, in execution order. */
  of(account: number): readonly PlacedTransfer[] {
    this.#byAccount ??= byAccountOf(this.transfers)
    return this.#byAccount.get(account) ?? []
  }

  /** Whether an instruction outside the span, other than a transfer, may have changed the account's balance. */
  isChangedOtherwise(account: number, span: Span = NO_SPAN): boolean {
    this.#others ??= this.#readOthers()
    const others = this.#others.get(account)
    return others?.some((at) => at < span.from || at >= span.to) ?? false
  }

  /**
   * Base units that a span moved into an account, or out of it (negative). Undefined where the account has no balance, where
   * the transaction made it, and where its balance does not show what each transfer withheld.
   */
  movedWithin(account: number, span: Span): bigint | undefined {
    const balance = this.#transaction.tokenBalances.get(account)
    if (balance === undefined || balance.isNew) return undefined
    const isAlone = this.of(account).every((each) => isIn(each, span))
    if (isAlone && !this.isChangedOtherwise(account, span)) return balance.after - balance.before
    const nets = this.#netsOf(account)
    if (nets === undefined) return undefined
    let moved = 0n
    for (const [transfer, net] of nets) if (isIn(transfer, span)) moved += net
    return moved
  }

  /** Balance of an account before the instruction at `end`: that after the transaction without the later transfers. */
  balanceAt(account: number, end: number): bigint | undefined {
    const balance = this.#transaction.tokenBalances.get(account)
    if (balance === undefined) return undefined
    const later = this.of(account).filter(({ at }) => at >= end)
    if (later.length === 0) return balance.after
    const nets = this.#netsOf(account)
    return later.reduce(
      (baseUnits, transfer) => baseUnits - (nets?.get(transfer) ?? statedNet(transfer, account)),
      balance.after,
    )
  }

  /** By transfer, the base units that it moved into the account or out of it (negative). */
  #netsOf(account: number): ReadonlyMap<PlacedTransfer, bigint> | undefined {
    if (!this.#nets.has(account)) this.#nets.set(account, this.#readNets(account))
    return this.#nets.get(account)
  }

  #readNets(account: number): ReadonlyMap<PlacedTransfer, bigint> | undefined {
    const balance = this.#transaction.tokenBalances.get(account)
    if (balance === undefined || balance.isNew || this.isChangedOtherwise(account)) return undefined
    const nets = new Map<PlacedTransfer, bigint>()
    for (const transfer of this.of(account)) nets.set(transfer, statedNet(transfer, account))
    const sum = [...nets.values()].reduce((total, net) => total + net, 0n)
    const withheld = sum - (balance.after - balance.before)
    const unnamed = [...nets].filter(([{ fee }, net]) => fee === undefined && net > 0n)
    const fees = feesOf(
      unnamed.map(([, net]) => net),
      withheld,
    )
    if (fees === undefined) return undefined
    for (const [index, [transfer, net]] of unnamed.entries()) {
      nets.set(transfer, net - (fees[index] as bigint))
    }
    return nets
  }

  #readOthers(): ReadonlyMap<number, readonly number[]> {
    const transfers = new Set(this.transfers.map(({ at }) => at))
    const others = new Map<number, number[]>()
    for (const [at, instruction] of this.#transaction.instructions.entries()) {
      const { program, accounts } = instruction
      if (transfers.has(at) || !isTokenProgram(this.#transaction.key(program))) continue
      const [tag] = payloadOf(instruction)
      if (tag !== undefined && UNMOVING.has(tag)) continue
      for (const account of Array.from(accounts)) listIn(others, account, at)
    }
    return others
  }
}

function byAccountOf(transfers: readonly PlacedTransfer[]): Map<number, PlacedTransfer[]> {
  const lists = new Map<number, PlacedTransfer[]>()
  for (const transfer of transfers) {
    const { source, destination } = transfer
    listIn(lists, source, transfer)
    if (destination !== source) listIn(lists, destination, transfer)
  }
  return lists
}

function listIn<T>(lists: Map<number, T[]>, account: number, each: T): void {
  const list = lists.get(account)
  if (list === undefined) lists.set(account, [each])
  else list.push(each)
}

/**
 * First bytes of the token programs' instructions that move nothing: they open accounts and mints, approve, revoke, change
 * authorities, freeze, thaw and compute.
 */
const UNMOVING = new Set([0, 1, 2, 4, 5, 6, 10, 11, 13, 16, 18, 19, 20, 21, 22, 23, 24])

const NO_SPAN: Span = { from: 0, to: 0 }

export const isIn = ({ at }: PlacedTransfer, { from, to }: Span): boolean => at >= from && at < to

/**
 * Base units that a transfer states to move into an account, or out of it (negative), without a fee that it names. A transfer of
 * an account to itself moves the fee only.
 */
export function statedNet(
  { source, destination, baseUnits, fee }: PlacedTransfer,
  account: number,
): bigint {
  const gained = destination === account ? baseUnits - (fee ?? 0n) : 0n
  return source === account ? gained - baseUnits : gained
}

/**
 * Fees that were withheld of these amounts, `total` in sum: none, that of one amount, or those of one rate of all of them,
 * which Token-2022 rounds up. Undefined where no rate or rates of different fees have this sum.
 */
export function feesOf(amounts: readonly bigint[], total: bigint): readonly bigint[] | undefined {
  if (total === 0n) return amounts.map(() => 0n)
  const [first] = amounts
  if (total < 0n || first === undefined) return undefined
  if (amounts.length === 1) return total <= first ? [total] : undefined
  const feesAt = (bps: bigint) => amounts.map((gross) => ceilDivide(gross * bps, BPS))
  const sumAt = (bps: bigint) => feesAt(bps).reduce((sum, fee) => sum + fee, 0n)
  const lowest = firstRate((bps) => sumAt(bps) >= total)
  if (lowest > BPS || sumAt(lowest) !== total) return undefined
  const highest = firstRate((bps) => sumAt(bps) > total) - 1n
  const [fees, others] = [feesAt(lowest), feesAt(highest)]
  return fees.every((fee, index) => fee === others[index]) ? fees : undefined
}

/** The lowest rate from 1 to 10,000 basis points that meets the condition, 10,001 where none does. */
function firstRate(isMet: (bps: bigint) => boolean): bigint {
  let [low, high] = [1n, BPS + 1n]
  while (low < high) {
    const middle = (low + high) / 2n
    if (isMet(middle)) high = middle
    else low = middle + 1n
  }
  return low
}
