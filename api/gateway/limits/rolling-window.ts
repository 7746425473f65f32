/**
 * A rolling sum over 60 seconds in quanta of 10 ms, as a run-length log. Pure: times are quanta of a monotonic clock.
 *
 * A count expires 60 seconds after the end of its quantum, so no interval of 60 seconds holds more than was admitted.
 * A part of a count may be marked as owed: counted here, and still to be reported to Redis.
 * Decision: docs/decisions/0034-sliding-window-limits-and-key-revocation.md
 */
export const QUANTUM_MS = 10
export const WINDOW_QUANTA = 6_000

/** Counts of one quantum. */
type Run = { quantum: number; count: number; owed: number }
/** Count of a quantum that is reported to Redis. */
export type ReportedCount = { quantum: number; count: number }

export class RollingWindow {
  readonly #quanta: number
  #runs: Run[] = []
  /** Index of the oldest run that still counts; those before it are removed in bulk. */
  #first = 0
  #sum = 0
  #owed = 0

  /** Window of 60 seconds by default. */
  constructor(quanta = WINDOW_QUANTA) {
    this.#quanta = quanta
  }

  /** The sum as of this quantum. */
  sumAt(now: number): number {
    for (;;) {
      const oldest = this.#runs[this.#first]
      if (oldest === undefined || now <= oldest.quantum + this.#quanta) break
      this.#sum -= oldest.count
      this.#owed -= oldest.owed
      oldest.owed = 0
      this.#first += 1
    }
    if (this.#first > this.#runs.length / 2) {
      this.#runs = this.#runs.slice(this.#first)
      this.#first = 0
    }
    return this.#sum
  }

  add(now: number, count: number, owed = 0): void {
    const newest = this.#runs.at(-1)
    if (newest?.quantum === now) {
      newest.count += count
      newest.owed += owed
    } else this.#runs.push({ quantum: now, count, owed })
    this.#sum += count
    this.#owed += owed
  }

  /** Quanta until the oldest count expires; 0 for an empty window. */
  quantaLeft(now: number): number {
    const oldest = this.#runs[this.#first]
    return oldest === undefined ? 0 : oldest.quantum + this.#quanta + 1 - now
  }

  /** Returns the owed counts, oldest first, and marks them as reported. */
  reportOwed(): ReportedCount[] {
    if (this.#owed === 0) return []
    this.#owed = 0
    const owing = this.#runs.slice(this.#first).filter(({ owed }) => owed > 0)
    return owing.map((run) => {
      const { quantum, owed: count } = run
      run.owed = 0
      return { quantum, count }
    })
  }

  /** The counts by age in quanta, without those that have expired. */
  aged(reported: readonly ReportedCount[], now: number): { age: number; count: number }[] {
    return reported
      .map(({ quantum, count }) => ({ age: now - quantum, count }))
      .filter(({ age, count }) => count > 0 && age <= this.#quanta)
  }

  /** Marks everything in the window as owed. */
  oweAll(): void {
    this.#owed = this.#sum
    for (const run of this.#runs.slice(this.#first)) run.owed = run.count
  }
}
