/**
 * Cached positions of one token, from which its holder statistics are maintained incrementally, so that a refresh
 * reads only the positions of wallets that traded. Pure. Parallel arrays, ascending by wallet: a token may have
 * hundreds of thousands.
 *
 * Invariant: the statistics equal those that ranking/list_holdings computes from the same positions.
 */
import { divideSigned } from '../../../domain/amount.ts'
import { minus, plus } from '../lamports.ts'
import { lowerBound, packedIntegers } from '../series/number-deque.ts'
import type { HolderChanges, HolderStats } from '../series/token-series.ts'

/** Base units, exact: a number while it is a safe integer. */
type Balance = number | bigint

/** Minutes in which a wallet became a holder; negative where it ceased to be one (column `held_changes`). */
type Changes = readonly number[]

const NO_CHANGES: Changes = []
const TOP = 10

export class HolderPositions {
  private readonly wallets: number[] = []
  private readonly balances: Balance[] = []
  private readonly changes: Changes[] = []
  /** Number of holders, sum of their balances, and net changes by the minute. */
  private now = 0
  private held: Balance = 0
  private readonly nets = new Map<number, number>()
  /** The ten largest balances, descending; absent: to be computed on the next read. */
  private top: Balance[] | undefined

  get count(): number {
    return this.wallets.length
  }

  /** Inserts or replaces a position; in ascending order of wallets, an insert is an append. */
  put(wallet: number, balance: Balance, changes: Changes | null): void {
    const offset = this.lowerBound(wallet)
    const known = this.wallets[offset] === wallet ? 1 : 0
    if (known === 0) this.wallets.splice(offset, 0, wallet)
    else this.leave(offset)
    this.balances.splice(offset, known, balance)
    this.changes.splice(offset, known, changes ?? NO_CHANGES)
    this.enter(offset)
  }

  /** Removes the wallet's position, if there is one. */
  remove(wallet: number): void {
    const offset = this.lowerBound(wallet)
    if (this.wallets[offset] !== wallet) return
    this.leave(offset)
    this.wallets.splice(offset, 1)
    this.balances.splice(offset, 1)
    this.changes.splice(offset, 1)
  }

  /** Holders now and their changes from a minute on; undefined without a position. */
  holderStats(fromMinute: number): HolderStats | undefined {
    if (this.count === 0) return undefined
    this.top ??= topOf(this.balances)
    const top10Share = shareOf(this.top.reduce(plus, 0), this.held)
    return { now: this.now, top10Share, changes: changesFrom(this.nets, fromMinute) }
  }

  private enter(offset: number): void {
    addChanges(this.nets, this.changes[offset]!, 1)
    const balance = this.balances[offset]!
    if (balance <= 0) return
    this.now += 1
    this.held = plus(this.held, balance)
    this.noteTop(balance)
  }

  private leave(offset: number): void {
    addChanges(this.nets, this.changes[offset]!, -1)
    const balance = this.balances[offset]!
    if (balance <= 0) return
    this.now -= 1
    this.held = minus(this.held, balance)
    this.noteTop(balance)
  }

  /** Invalidates the ten largest where this balance enters or leaves them. */
  private noteTop(balance: Balance): void {
    if (this.top === undefined) return
    if (this.top.length < TOP || balance >= this.top[TOP - 1]!) this.top = undefined
  }

  private lowerBound(wallet: number): number {
    const { wallets } = this
    const last = wallets[wallets.length - 1]
    if (last === undefined || last < wallet) return wallets.length
    return lowerBound(wallets, 0, 1, wallets.length, wallet)
  }
}

/** Net change of holders in each minute from `fromMinute` on. */
export function netChanges(all: Changes, fromMinute: number): HolderChanges {
  const nets = new Map<number, number>()
  addChanges(nets, all, 1)
  return changesFrom(nets, fromMinute)
}

function addChanges(nets: Map<number, number>, changes: Changes, sign: 1 | -1): void {
  for (const change of changes) {
    const minute = Math.abs(change)
    const net = (nets.get(minute) ?? 0) + sign * Math.sign(change)
    if (net === 0) nets.delete(minute)
    else nets.set(minute, net)
  }
}

function changesFrom(nets: ReadonlyMap<number, number>, fromMinute: number): HolderChanges {
  const changes: number[] = []
  for (const [minute, net] of nets) if (minute >= fromMinute) changes.push(minute, net)
  return packedIntegers(changes)
}

function topOf(balances: readonly Balance[]): Balance[] {
  const top: Balance[] = []
  for (const balance of balances) {
    if (balance > 0 && (top.length < TOP || balance > top[TOP - 1]!)) putDescending(top, balance)
  }
  return top
}

/** Inserts into the ten largest, descending. */
function putDescending(top: Balance[], balance: Balance): void {
  let offset = top.length
  while (offset > 0 && top[offset - 1]! < balance) offset -= 1
  top.splice(offset, 0, balance)
  if (top.length > TOP) top.pop()
}

/** `part` divided by `whole`; 0 where `whole` is 0. */
export function shareOf(part: Balance | string, whole: Balance | string): number {
  const divisor = BigInt(whole)
  return divisor === 0n ? 0 : divideSigned(part, divisor)
}
