/**
 * A token's positions as the ranking remembers them, wallet by wallet, so that only those that traded are read again:
 * pure. Side by side in lists by wallet, ascending: there may be hundreds of thousands.
 *
 * Invariant: the holderStats equals that of the same positions in the database (list_holdings.sql).
 */
import { divideSigned } from '../../../domain/amount.ts'
import { minus, plus } from '../lamports.ts'
import { lowerBound, packedIntegers } from '../series/number-deque.ts'
import type { HolderChanges, HolderStats } from '../series/token-series.ts'

/** Base units: exact. */
export type Balance = number | bigint

/** As positions have them: minutes in which the wallet became a holder, negative where it ceased to be one. */
type Changes = readonly number[]

const NO_CHANGES: Changes = []
const TOP = 10

export class HolderPositions {
  private readonly wallets: number[] = []
  private readonly balances: Balance[] = []
  private readonly changes: Changes[] = []
  /** Holders, their balances, and their changes by the minute, as they come and go. */
  private now = 0
  private held: Balance = 0
  private readonly nets = new Map<number, number>()
  /** The ten largest balances, descending; absent: to be computed. */
  private top: Balance[] | undefined

  get count(): number {
    return this.wallets.length
  }

  /** Sets the wallet's balance. Wallets in ascending order of ids are appended. */
  put(wallet: number, balance: Balance, changes: Changes | null): void {
    const offset = this.lowerBound(wallet)
    const known = this.wallets[offset] === wallet ? 1 : 0
    if (known === 0) this.wallets.splice(offset, 0, wallet)
    else this.leave(offset)
    this.balances.splice(offset, known, balance)
    this.changes.splice(offset, known, changes ?? NO_CHANGES)
    this.enter(offset)
  }

  /** The wallet has no position. */
  remove(wallet: number): void {
    const offset = this.lowerBound(wallet)
    if (this.wallets[offset] !== wallet) return
    this.leave(offset)
    this.wallets.splice(offset, 1)
    this.balances.splice(offset, 1)
    this.changes.splice(offset, 1)
  }

  /** Holders of now and their changes from a minute on; undefined without a position. */
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

  /** One of the ten largest came, or is going. */
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

/** Net changes of all positions by the minute, from one on. */
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

/** The ten largest are maintained. */
function putDescending(top: Balance[], balance: Balance): void {
  let offset = top.length
  while (offset > 0 && top[offset - 1]! < balance) offset -= 1
  top.splice(offset, 0, balance)
  if (top.length > TOP) top.pop()
}

/** 0 where nothing is held. */
export function shareOf(part: Balance | string, whole: Balance | string): number {
  const divisor = BigInt(whole)
  return divisor === 0n ? 0 : divideSigned(part, divisor)
}
