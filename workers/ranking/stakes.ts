/**
 * A token's positions as the ranking remembers them, wallet by wallet, so that only those that traded are read
 * again: pure. Side by side in lists by wallet, ascending: there may be hundreds of thousands.
 *
 * Law: the holding is what the database would say of the same positions (list_holdings.sql).
 */
import { divideSigned } from '../../streams/amount.ts'
import { firstAt, type HolderChange, type Holding, plus } from './track.ts'

/** Base units: exact. */
export type Balance = number | bigint

/** As positions have them: minutes in which the wallet became a holder, negative where it ceased to be one. */
type Changes = readonly number[]

const NO_CHANGES: Changes = []
const TOP = 10

export class Stakes {
  private readonly wallets: number[] = []
  private readonly balances: Balance[] = []
  private readonly changes: Changes[] = []

  get count(): number {
    return this.wallets.length
  }

  /** What the wallet's position is now. Those that come in the order of their ids are put behind. */
  put(wallet: number, balance: Balance, changes: Changes | null): void {
    const { wallets, balances } = this
    const place = this.placeOf(wallet)
    const known = wallets[place] === wallet ? 1 : 0
    if (known === 0) wallets.splice(place, 0, wallet)
    balances.splice(place, known, balance)
    this.changes.splice(place, known, changes ?? NO_CHANGES)
  }

  /** The wallet has no position. */
  remove(wallet: number): void {
    const place = this.placeOf(wallet)
    if (this.wallets[place] !== wallet) return
    this.wallets.splice(place, 1)
    this.balances.splice(place, 1)
    this.changes.splice(place, 1)
  }

  /** Holders of now and their changes from a minute on; undefined without a position. */
  holding(fromMinute: number): Holding | undefined {
    if (this.count === 0) return undefined
    let now = 0
    let held: Balance = 0
    const top: Balance[] = []
    for (const balance of this.balances) {
      if (balance <= 0) continue
      now += 1
      held = plus(held, balance)
      if (top.length < TOP || balance > top[TOP - 1]!) putDescending(top, balance)
    }
    const changes = netChanges(this.changes, fromMinute)
    return { now, top10Share: shareOf(top.reduce(plus, 0), held), changes }
  }

  private placeOf(wallet: number): number {
    const { wallets } = this
    const last = wallets[wallets.length - 1]
    if (last === undefined || last < wallet) return wallets.length
    return firstAt(wallets, (each) => each, wallet)
  }
}

/** Of all positions by the minute, from one on. */
export function netChanges(all: Iterable<Changes>, fromMinute: number): HolderChange[] {
  const nets = new Map<number, number>()
  for (const changes of all) {
    for (const change of changes) {
      const minute = Math.abs(change)
      if (minute >= fromMinute) nets.set(minute, (nets.get(minute) ?? 0) + Math.sign(change))
    }
  }
  return [...nets].map(([minute, net]) => ({ minute, net }))
}

/** The largest ten are kept. */
function putDescending(top: Balance[], balance: Balance): void {
  let place = top.length
  while (place > 0 && top[place - 1]! < balance) place -= 1
  top.splice(place, 0, balance)
  if (top.length > TOP) top.pop()
}

/** 0 where nothing is held. */
export function shareOf(part: Balance | string, whole: Balance | string): number {
  const divisor = BigInt(whole)
  return divisor === 0n ? 0 : divideSigned(part, divisor)
}
