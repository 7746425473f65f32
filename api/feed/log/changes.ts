/** Wakes all waiters on any change, like a condition variable. Pure. */

export class Changes {
  private readonly waiting = new Set<() => void>()

  /** Resolves at the next change or on abort. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.waiting.add(done)
      signal.addEventListener('abort', done, { once: true })
      if (signal.aborted) done()
    })
  }

  notify(): void {
    for (const done of this.waiting) done()
  }
}
