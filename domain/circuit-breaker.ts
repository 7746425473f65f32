/**
 * A circuit breaker: after several failures in a row it refuses calls for a while, and then allows one trial call at a
 * time. Pure: the caller brings the clock, any that does not run backwards.
 */
type BreakerLimits = {
  /** Failures running after which it opens. */
  failuresMax: number
  /** Milliseconds between two tries while it is open. */
  restMs: number
}

export class Breaker {
  readonly #limits: BreakerLimits
  #failures = 0
  #nextTryAt = 0

  constructor(limits: BreakerLimits) {
    this.#limits = limits
  }

  /** Whether a call may be made now; while it is open, true once in `restMs`. */
  allows(now: number): boolean {
    if (this.#failures < this.#limits.failuresMax) return true
    if (now < this.#nextTryAt) return false
    this.#nextTryAt = now + this.#limits.restMs
    return true
  }

  succeed(): void {
    this.#failures = 0
  }

  fail(now: number): void {
    this.#failures += 1
    this.#nextTryAt = now + this.#limits.restMs
  }
}
