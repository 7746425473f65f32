/**
 * Wait queue of the connection pool. FIFO until saturated, then LIFO (load shedding).
 *
 * Requests are served in order of arrival while capacity suffices. Once a waiter has waited so long that more arrives
 * than is served, the newest comes first until the queue is empty. With FIFO under overload every request would
 * wait almost until its timeout; with LIFO most served requests are served at once, and the rest would have timed
 * out anyway.
 *
 * Decision: docs/decisions/0031-load-shedding-and-scan-budgets.md
 */

export type QueueSlot = {
  /** Resolves when the turn has come; absent where it came at once. Never, where it was ended before. */
  readonly comes: Promise<void> | undefined
  /** Leaves the line, or the place to the next. Once is enough. */
  end(): void
}

type Waiting = { readonly sinceMs: number; readonly come: () => void }

type ConnectionQueueOptions = {
  connections: number
  /** Milliseconds of waiting after which the queue switches from FIFO to LIFO. */
  orderlyMs: number
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

export class ConnectionQueue {
  private readonly orderlyMs: number
  private readonly now: () => number
  /** The oldest first. */
  private readonly line: Waiting[] = []
  private free: number
  private isNewestFirst = false

  constructor({ connections, orderlyMs, now = () => performance.now() }: ConnectionQueueOptions) {
    this.free = connections
    this.orderlyMs = orderlyMs
    this.now = now
  }

  take(): QueueSlot {
    if (this.free > 0) {
      this.free -= 1
      return { comes: undefined, end: once(() => this.pass()) }
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = { sinceMs: this.now(), come: resolve }
    this.line.push(waiting)
    return { comes: promise, end: once(() => this.leave(waiting)) }
  }

  private leave(waiting: Waiting): void {
    const index = this.line.indexOf(waiting)
    const hasCome = index < 0
    if (hasCome) {
      this.pass()
      return
    }
    this.line.splice(index, 1)
    if (this.line.length === 0) this.isNewestFirst = false
  }

  private pass(): void {
    const oldest = this.line[0]
    if (oldest === undefined) {
      this.free += 1
      return
    }
    if (this.now() - oldest.sinceMs > this.orderlyMs) this.isNewestFirst = true
    const next = this.isNewestFirst ? this.line.pop() : this.line.shift()
    if (this.line.length === 0) this.isNewestFirst = false
    next?.come()
  }
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
