/**
 * The samples of the last hour, on a grid of the wall clock: a point of the grid without a sample is a gap, because the
 * process did not run, or was late. Pure apart from its own memory, which never holds more than an hour.
 */
import { type Reading, type Sample, SERIES_NAMES, type SeriesName, sampleOf } from './sample.ts'

const SAMPLES_MAX = 360

export type SampleColumns = {
  everyMs: number
  /** Unix ms, ascending, one interval apart. */
  atMs: readonly number[]
  /** One value for each of `atMs`; null: unknown. */
  series: Readonly<Record<SeriesName, readonly (number | null)[]>>
}

export class SampleRing {
  readonly #everyMs: number
  readonly #samples = new Map<number, Sample>()
  #last: { slot: number; reading: Reading } | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** Takes the reading of a moment. A second one of the same point is dropped; a clock that went back clears the ring. */
  add(atMs: number, reading: Reading): void {
    // A timer may be early by a little.
    const slot = Math.floor(atMs / this.#everyMs + 0.1)
    const last = this.#last
    if (last?.slot === slot) return
    if (last !== undefined && slot < last.slot) this.#samples.clear()
    const before = last?.slot === slot - 1 ? last.reading : undefined
    this.#samples.set(slot, sampleOf(before, reading))
    this.#last = { slot, reading }
    for (const old of this.#samples.keys()) {
      if (old > slot - SAMPLES_MAX) break
      this.#samples.delete(old)
    }
  }

  columns(): SampleColumns {
    const [first = 0] = this.#samples.keys()
    const count = this.#last === undefined ? 0 : this.#last.slot - first + 1
    const slots = Array.from({ length: count }, (_, index) => first + index)
    const samples = slots.map((slot) => this.#samples.get(slot))
    const columns = SERIES_NAMES.map((name) => [
      name,
      samples.map((sample) => sample?.[name] ?? null),
    ])
    return {
      everyMs: this.#everyMs,
      atMs: slots.map((slot) => slot * this.#everyMs),
      series: Object.fromEntries(columns),
    }
  }
}
