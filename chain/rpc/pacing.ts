/**
 * Admits requests to a provider: a token bucket, and a pause that a throttled request imposes on all of them. First in,
 * first out, so that the requests of early slots leave first.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { TokenBucket } from '../../domain/token-bucket.ts'

/** Providers count requests by the second: a tenth of a second's requests at once stays below that. */
const BURST_SECONDS = 0.1

export class Pacing {
  readonly #bucket: TokenBucket
  #pausedUntil = 0
  #last: Promise<void> = Promise.resolve()

  constructor(requestsPerSecond: number) {
    this.#bucket = new TokenBucket(
      requestsPerSecond,
      Math.max(1, Math.floor(requestsPerSecond * BURST_SECONDS)),
    )
  }

  /** Resolves when one request may be sent. Rejects when the signal is aborted. */
  admit(signal: AbortSignal): Promise<void> {
    const admitted = this.#last.then(() => this.#wait(signal))
    this.#last = admitted.catch(() => {})
    return admitted
  }

  /** No request is sent for so many milliseconds. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms)
  }

  async #wait(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const now = performance.now()
      const ms = Math.max(this.#pausedUntil - now, this.#bucket.waitMs(now))
      if (ms > 0) await sleep(Math.ceil(ms), undefined, { signal })
      else if (this.#bucket.take(now)) return
    }
  }
}
