/**
 * Wallets of the simulated market: a few thousand known ones drawn by Zipf's law, a trickle of new ones, and small
 * casts of snipers, whales, arbitrageurs, serial creators and agents. The number of remembered wallets never grows: a
 * newcomer that stays replaces a quiet one.
 */
import { drawAddress } from '../base58-draw.ts'
import type { Prng } from '../prng.ts'

export type Character =
  | 'trader'
  | 'holder'
  | 'sniper'
  | 'whale'
  | 'arbitrageur'
  | 'creator'
  | 'agent'

export type Wallet = { readonly walletAddress: string; readonly character: Character }

const KNOWN_WALLETS = 3000
/** Share of known wallets that buy and hardly ever sell. */
const HOLDER_SHARE = 0.15
/** Share of newcomers that come back. */
const STAYING_SHARE = 0.2

export class Crowd {
  readonly #prng: Prng
  readonly #known: Wallet[]
  readonly #snipers: readonly Wallet[]
  readonly #whales: readonly Wallet[]
  readonly #arbitrageurs: readonly Wallet[]
  readonly #creators: readonly Wallet[]
  readonly #agents: readonly Wallet[]

  constructor(prng: Prng) {
    this.#prng = prng
    this.#known = Array.from({ length: KNOWN_WALLETS }, () => this.#ordinary())
    this.#snipers = this.#cast('sniper', 40)
    this.#whales = this.#cast('whale', 25)
    this.#arbitrageurs = this.#cast('arbitrageur', 15)
    this.#creators = this.#cast('creator', 60)
    this.#agents = this.#cast('agent', 5)
  }

  #cast(character: Character, count: number): Wallet[] {
    return Array.from({ length: count }, () => this.#fresh(character))
  }

  #fresh(character: Character): Wallet {
    return { walletAddress: drawAddress(this.#prng), character }
  }

  #ordinary(): Wallet {
    return this.#fresh(this.#prng.chance(HOLDER_SHARE) ? 'holder' : 'trader')
  }

  trader(): Wallet {
    return this.#drawn(this.#known)
  }

  sniper(): Wallet {
    return this.#drawn(this.#snipers)
  }

  whale(): Wallet {
    return this.#drawn(this.#whales)
  }

  arbitrageur(): Wallet {
    return this.#drawn(this.#arbitrageurs)
  }

  agent(): Wallet {
    return this.#drawn(this.#agents)
  }

  /** Most creators launch once and are never seen again; some launch over and over. */
  creator(): Wallet {
    return this.#prng.chance(0.6) ? this.#fresh('creator') : this.#drawn(this.#creators)
  }

  /** A wallet that never traded before; some stay, and replace one of the quieter half. */
  newcomer(): Wallet {
    const wallet = this.#ordinary()
    if (this.#prng.chance(STAYING_SHARE)) {
      const half = Math.floor(KNOWN_WALLETS / 2)
      this.#known[half + this.#prng.below(KNOWN_WALLETS - half)] = wallet
    }
    return wallet
  }

  #drawn(wallets: readonly Wallet[]): Wallet {
    return wallets[this.#prng.rank(wallets.length)]!
  }
}
