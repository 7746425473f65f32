/**
 * A rolling sum over 60 seconds, exact to a quantum of 10 ms, as a run-length log. Pure: times are
 * quanta of a clock that never goes back.
 *
 * What is counted in a quantum leaves 60 seconds after that quantum's end, so that no 60 seconds ever
 * hold more than was let in. A part may be marked as owed: counted here and not yet told elsewhere.
 * Decision: docs/decisions/0034-sliding-window-limits-and-key-revocation.md
 */
export const QUANTUM_MS = 10
export const WINDOW_QUANTA = 6_000

/** Counts of one quantum. */
type Run = { quantum: number; count: number; owed: number }
/** What was counted in a quantum and is told elsewhere. */
export type ReportedCount = { quantum: number; count: number }

export class RollingWindow {
  readonly #quanta: number
  #runs: Run[] = []
  /** Of the oldest that still counts; those before it are cut off now and then. */
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

  /** Quanta until the oldest that counts leaves; 0 where nothing counts. */
  quantaLeft(now: number): number {
    const oldest = this.#runs[this.#first]
    return oldest === undefined ? 0 : oldest.quantum + this.#quanta + 1 - now
  }

  /** Takes out what is owed, oldest first: it is told now. */
  tell(): ReportedCount[] {
    if (this.#owed === 0) return []
    this.#owed = 0
    const owing = this.#runs.slice(this.#first).filter(({ owed }) => owed > 0)
    return owing.map((run) => {
      const { quantum, owed: count } = run
      run.owed = 0
      return { quantum, count }
    })
  }

  /** How many quanta ago each was, without those that left the window since. */
  aged(told: readonly ReportedCount[], now: number): { age: number; count: number }[] {
    return told
      .map(({ quantum, count }) => ({ age: now - quantum, count }))
      .filter(({ age, count }) => count > 0 && age <= this.#quanta)
  }

  /** All that counts is owed. */
  oweAll(): void {
    this.#owed = this.#sum
    for (const run of this.#runs.slice(this.#first)) run.owed = run.count
  }
}
