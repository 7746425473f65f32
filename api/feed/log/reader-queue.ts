/**
 * Who may read FEED from the disk: so many at once, the others one after the other. Pure.
 * Whoever comes when the line is as long as it may be is refused at once.
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

  /** Resolves when it is the caller's turn, with what ends it. Throws LineIsFull. */
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
    if (this.waiting.length >= this.waitingMax) throw new LineIsFull('too many read the past')
    return new Promise((resolve) => {
      this.waiting.push(() => resolve(end))
    })
  }
}
