/**
 * The simulator's only source of chance: sfc32 (128 bits of state, period beyond any run), seeded
 * from whole numbers. Same seeds, same draws, on any machine: integer steps, and `Math.log`,
 * `Math.exp` and `Math.cos` as the pinned Node computes them. Not for secrets.
 */

export class Prng {
  #a = 0x9e3779b9
  #b = 0x243f6a88
  #c = 0xb7e15162
  #counter = 1

  /** Every seed is a safe integer; its low and its high half both count. */
  constructor(seeds: readonly number[]) {
    for (const seed of seeds) {
      this.#absorb(seed | 0)
      this.#absorb(Math.floor(seed / 0x1_0000_0000) | 0)
    }
    for (let round = 0; round < 16; round++) this.bits()
  }

  #absorb(half: number): void {
    this.#a ^= half
    for (let round = 0; round < 4; round++) this.bits()
  }

  /** A signed 32-bit integer. */
  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum
  }

  /** 0 <= result < 1, 32 bits fine. */
  unit(): number {
    return (this.bits() >>> 0) / 0x1_0000_0000
  }

  /** An integer of 0..bound-1, for bounds far below 2^32. */
  below(bound: number): number {
    return Math.floor(this.unit() * bound)
  }

  /** An integer of from..to, both included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1)
  }

  chance(share: number): boolean {
    return this.unit() < share
  }

  /** Log-uniform: every factor of two between the ends is as likely as the next. */
  spread(from: number, to: number): number {
    return from * Math.exp(this.unit() * Math.log(to / from))
  }

  /** A rank of 0..count-1 by Zipf's law with exponent 1: rank k is drawn like 1 / (k + 1). */
  rank(count: number): number {
    return Math.min(count - 1, Math.floor(Math.exp(this.unit() * Math.log(count + 1))) - 1)
  }

  /** Standard normal (Box and Muller). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.unit()))
    return radius * Math.cos(2 * Math.PI * this.unit())
  }

  /** One of a list that is not empty. */
  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!
  }
}
