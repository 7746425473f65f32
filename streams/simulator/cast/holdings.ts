/**
 * Holders of one mint and their balances, so that no wallet sells more than it has. A full mint
 * is bought by its holders only, which bounds the memory.
 */
import type { Prng } from '../prng.ts'
import type { Wallet } from './wallets.ts'

export type Holding = { readonly wallet: Wallet; index: number; balance: bigint }

const HOLDINGS_FULL = 400

export class Holdings {
  readonly #list: Holding[] = []
  readonly #byWallet = new Map<Wallet, Holding>()

  get isFull(): boolean {
    return this.#list.length >= HOLDINGS_FULL
  }

  of(wallet: Wallet): Holding | undefined {
    return this.#byWallet.get(wallet)
  }

  /** Any of them, each as likely as the other; undefined without a holder. */
  any(prng: Prng): Holding | undefined {
    return this.#list[prng.below(this.#list.length)]
  }

  add(wallet: Wallet, quantity: bigint): void {
    if (quantity <= 0n) return
    const held = this.#byWallet.get(wallet)
    if (held !== undefined) {
      held.balance += quantity
      return
    }
    const holding = { wallet, index: this.#list.length, balance: quantity }
    this.#list.push(holding)
    this.#byWallet.set(wallet, holding)
  }

  take(holding: Holding, quantity: bigint): void {
    holding.balance -= quantity
    if (holding.balance < 0n) throw new RangeError(`sold ${quantity}, more than was held`)
    if (holding.balance === 0n) this.#forget(holding)
  }

  #forget(holding: Holding): void {
    const last = this.#list.pop()!
    if (last !== holding) {
      this.#list[holding.index] = last
      last.index = holding.index
    }
    this.#byWallet.delete(holding.wallet)
  }
}
