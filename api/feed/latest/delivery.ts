/**
 * Delivers the latest values of one WebSocket: sends changes no faster than the batch_ms of each subscription and the
 * client's reads allow. While the client does not read, only names are queued, and newer values replace older ones.
 */
import type { LatestSubscription } from './subscription.ts'
import type { LatestValues } from './values.ts'

/** The connection as deliveries of latest values see it. */
type Out = {
  /** Aborted when nothing can be sent any longer. */
  readonly ended: AbortSignal
  /** Backpressure: too many bytes are unsent. */
  readonly isBlocked: boolean
  /** Sends a frame of two parts; the head is ASCII. */
  frame(head: string, body: Uint8Array): void
  /** Ends a subscription with an error. */
  fail(subscription: LatestSubscription, error: unknown): void
}

export class LatestDelivery {
  private readonly values: LatestValues
  private readonly out: Out
  private readonly begun = new Set<LatestSubscription>()
  private readonly pendingSends = new Map<LatestSubscription, NodeJS.Timeout>()

  constructor(values: LatestValues, out: Out) {
    this.values = values
    this.out = out
  }

  begin(subscription: LatestSubscription, onStarted: () => void): void {
    onStarted()
    this.begun.add(subscription)
    this.watch(subscription)
  }

  /** The filter of the subscription changed. */
  refresh(subscription: LatestSubscription): void {
    if (this.begun.has(subscription)) this.watch(subscription)
  }

  leave(subscription: LatestSubscription): void {
    this.values.unwatch(subscription)
    this.begun.delete(subscription)
    clearTimeout(this.pendingSends.get(subscription))
    this.pendingSends.delete(subscription)
  }

  /** The client has read again. */
  resume(): void {
    for (const subscription of this.begun) this.flush(subscription)
  }

  private watch(subscription: LatestSubscription): void {
    try {
      this.values.watch(subscription, () => this.wake(subscription))
    } catch (error) {
      this.out.fail(subscription, error)
    }
  }

  private wake(subscription: LatestSubscription): void {
    const { batchMs, hasSnapshot } = subscription
    if (batchMs === 0 || !hasSnapshot) this.flush(subscription)
    else if (!this.pendingSends.has(subscription)) {
      const due = setTimeout(() => {
        this.pendingSends.delete(subscription)
        this.flush(subscription)
      }, batchMs)
      this.pendingSends.set(subscription, due)
    }
  }

  private flush(subscription: LatestSubscription): void {
    if (this.out.isBlocked || this.out.ended.aborted || !this.begun.has(subscription)) return
    for (const text of subscription.frames(this.values.of(subscription.channel))) {
      this.out.frame('', Buffer.from(text))
      if (this.out.isBlocked) return
    }
  }
}
