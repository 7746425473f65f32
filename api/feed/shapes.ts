/**
 * The subscriptions of a connection, and how many of the whole process get the same texts: what many want
 * is made once and kept with its batch. Pure.
 */
import type { Subscription } from './subscription.ts'

export class Shapes {
  private readonly counts: Map<string, number>
  private readonly entered = new Map<Subscription, string>()

  /** `counts`: of the process, by shape. */
  constructor(counts: Map<string, number>) {
    this.counts = counts
  }

  enter(subscription: Subscription): void {
    const { shape } = subscription
    this.entered.set(subscription, shape)
    this.counts.set(shape, (this.counts.get(shape) ?? 0) + 1)
  }

  leave(subscription: Subscription): void {
    const shape = this.entered.get(subscription)
    if (shape === undefined) return
    this.entered.delete(subscription)
    const left = (this.counts.get(shape) ?? 1) - 1
    if (left > 0) this.counts.set(shape, left)
    else this.counts.delete(shape)
  }

  has(subscription: Subscription): boolean {
    return this.entered.has(subscription)
  }

  all(): Iterable<Subscription> {
    return this.entered.keys()
  }

  isShared({ shape }: Subscription): boolean {
    return (this.counts.get(shape) ?? 0) > 1
  }

  /** A filter that was changed makes another shape. */
  refresh(): void {
    for (const [subscription, shape] of [...this.entered]) {
      if (subscription.shape === shape) continue
      this.leave(subscription)
      this.enter(subscription)
    }
  }
}
