/**
 * The dollar: USDC and USDT, and the SOL/USD rate that their pools follow, a random walk in log
 * price that is pulled back to 150 over days.
 */
import { USDC, USDT } from '../../domain/quote-mint.ts'
import { Holdings } from './cast/holdings.ts'
import type { Mint } from './listing.ts'
import type { Prng } from './prng.ts'

const USD_DECIMALS = 6
const USD_PER_SOL_MEAN = 150
/** Standard deviation per slot, in log price: about 4 % a day. */
const WALK_PER_SLOT = 0.0001
const PULL_PER_SLOT = 0.00001

const dollar = (tokenAddress: string, symbol: string, name: string): Mint => ({
  tokenAddress,
  decimals: USD_DECIMALS,
  symbol,
  name,
  sector: 'stablecoin',
  transferFeeBps: 0,
  holdings: new Holdings(),
  pools: [],
  isPublished: false,
})

export function dollarMints(): readonly Mint[] {
  return [dollar(USDC, 'USDC', 'USD Coin'), dollar(USDT, 'USDT', 'Tether USD')]
}

export class SolUsd {
  readonly #prng: Prng
  #logOffset: number

  constructor(prng: Prng) {
    this.#prng = prng
    this.#logOffset = 0.02 * prng.normal()
  }

  nextSlot(): void {
    this.#logOffset += WALK_PER_SLOT * this.#prng.normal() - PULL_PER_SLOT * this.#logOffset
  }

  /** Lamports for one base unit of a dollar. */
  lamportsPerUnit(): number {
    return 10 ** (9 - USD_DECIMALS) / (USD_PER_SOL_MEAN * Math.exp(this.#logOffset))
  }
}
