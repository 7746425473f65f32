/**
 * Semaphore with a bounded FIFO queue, for reads of old messages and of the tables. Pure. A caller that comes while the
 * queue is full is refused at once: load shedding.
 */

export class LineIsFull extends Error {
  override name = 'LineIsFull'
}

export class ReaderQueue {
  private free: number
  private readonly waitingMax: number
  private readonly waiting: (() => void)[] = []

  constructor(atOnce: number, waitingMax: number) {
    this.free = atOnce
    this.waitingMax = waitingMax
  }

  /** Resolves when the caller may read, with the function that releases its slot. Throws LineIsFull. */
  take(): Promise<() => void> {
    let isOver = false
    const end = (): void => {
      if (isOver) return
      isOver = true
      const next = this.waiting.shift()
      if (next === undefined) this.free++
      else next()
    }
    if (this.free > 0) {
      this.free--
      return Promise.resolve(end)
    }
    if (this.waiting.length >= this.waitingMax) throw new LineIsFull('too many concurrent replays')
    return new Promise((resolve) => {
      this.waiting.push(() => resolve(end))
    })
  }
}
