/**
 * The live pools of one venue in the order of their popularity: the rank drawn by Zipf's law is the pool that trades.
 * New pools push others down, and the last one is dropped; pinned pools (the dollar's) have no rank and stay.
 */
import type { Pool } from './listing.ts'
import type { Prng } from './prng.ts'

/** Share of a venue's trades that go to its pinned pools, where it has any. */
const PINNED_SHARE = 0.3
/** Share of trades after which the pool climbs one rank. */
const CLIMB_SHARE = 0.02

export class Roster {
  readonly #prng: Prng
  readonly #capacity: number
  readonly #pools: Pool[] = []
  readonly #pinned: Pool[] = []

  constructor(prng: Prng, capacity: number) {
    this.#prng = prng
    this.#capacity = capacity
  }

  pin(pool: Pool): void {
    this.#pinned.push(pool)
    pool.mint.pools.push(pool)
  }

  /** Inserts a pool: at any rank, or among the popular ones. */
  insert(pool: Pool, isPopular: boolean): void {
    const ranks = this.#pools.length + 1
    const rank = isPopular ? this.#prng.rank(ranks) : this.#prng.below(ranks)
    this.#pools.splice(rank, 0, pool)
    pool.mint.pools.push(pool)
    if (this.#pools.length > this.#capacity) this.#leave(this.#pools.pop()!)
  }

  remove(pool: Pool): void {
    const rank = this.#pools.indexOf(pool)
    if (rank < 0) return
    this.#pools.splice(rank, 1)
    this.#leave(pool)
  }

  #leave(pool: Pool): void {
    pool.mint.pools.splice(pool.mint.pools.indexOf(pool), 1)
  }

  draw(): Pool | undefined {
    if (this.#pinned.length > 0 && this.#prng.chance(PINNED_SHARE)) {
      return this.#prng.pick(this.#pinned)
    }
    if (this.#pools.length === 0) return undefined
    const rank = this.#prng.rank(this.#pools.length)
    const pool = this.#pools[rank]!
    if (rank > 0 && this.#prng.chance(CLIMB_SHARE)) {
      this.#pools[rank] = this.#pools[rank - 1]!
      this.#pools[rank - 1] = pool
    }
    return pool
  }

  /** Any pool that is not pinned, each as likely as the other. */
  any(): Pool | undefined {
    return this.#pools.length === 0 ? undefined : this.#prng.pick(this.#pools)
  }
}
