/** A token bucket: a sustained rate with a burst on top. Pure: time is an argument. */

export class TokenBucket {
  private readonly perSecond: number
  private readonly burst: number
  private tokens: number
  private refilledAt = 0

  constructor(perSecond: number, burst: number) {
    this.perSecond = perSecond
    this.burst = burst
    this.tokens = burst
  }

  /** Whether the bucket is full again, so that a whole burst is allowed. */
  isFull(nowMs: number): boolean {
    this.refill(nowMs)
    return this.tokens === this.burst
  }

  /** Milliseconds until one token is there; 0 when there is one. */
  waitMs(nowMs: number): number {
    this.refill(nowMs)
    return this.tokens >= 1 ? 0 : ((1 - this.tokens) / this.perSecond) * 1_000
  }

  /** Takes one token; false: there is none. */
  take(nowMs: number): boolean {
    this.refill(nowMs)
    if (this.tokens < 1) return false
    this.tokens--
    return true
  }

  private refill(nowMs: number): void {
    const earned = (Math.max(0, nowMs - this.refilledAt) / 1_000) * this.perSecond
    this.tokens = Math.min(this.burst, this.tokens + earned)
    this.refilledAt = nowMs
  }
}
