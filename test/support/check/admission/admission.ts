/**
 * The number of test files that run at once. A fixed number leaves cores idle now and then, because most files wait for
 * leases, timers and servers for a part of their time. While a core is idle further files are admitted, so a busy machine
 * runs no more than the fixed number.
 */
import { type CpuTimes, timesOfMachine } from '../../../../workers/runtime/pacing/cpu-pressure.ts'

/** The variable of the environment that holds the number of files that are admitted in any case; absent: all files. */
export const ADMITTED_VARIABLE = 'AVA_TEST_ADMITTED'
/** Files beyond that number: bounds of waiting tests hold with so many. */
export const FURTHER_MAX = 2
/** Share of all cores that was idle, on two cores half of one. */
const IDLE_MIN = 0.25
/** A file that begins needs a core for so long, until its modules are loaded. */
const SAMPLE_MS = 5_000

export class Admission {
  readonly #atOnce: number
  readonly #times: () => CpuTimes
  readonly #waiting = new Set<() => void>()
  #running = 0
  #before: CpuTimes

  constructor(atOnce: number, times: () => CpuTimes = timesOfMachine) {
    this.#atOnce = atOnce
    this.#times = times
    this.#before = times()
  }

  /** Calls `begin` once the file is admitted. Returns a function for its end, before which it may not have begun. */
  enter(begin: () => void): () => void {
    let isRunning = false
    const admit = (): void => {
      isRunning = true
      this.#running += 1
      begin()
    }
    this.#waiting.add(admit)
    this.#admit(this.#atOnce)
    return () => {
      this.#waiting.delete(admit)
      if (isRunning) this.#running -= 1
      isRunning = false
      this.#admit(this.#atOnce)
    }
  }

  /** Samples the machine until the process ends, without keeping it alive. */
  watchCores(): void {
    setInterval(() => this.sample(), SAMPLE_MS).unref()
  }

  /** Admits one more file where cores were idle since the sample before. */
  sample(): void {
    const [before, now] = [this.#before, this.#times()]
    this.#before = now
    const idleShare = (now.idleMs - before.idleMs) / (now.allMs - before.allMs)
    if (idleShare >= IDLE_MIN) this.#admit(Math.min(this.#running + 1, this.#atOnce + FURTHER_MAX))
  }

  #admit(most: number): void {
    for (const admit of this.#waiting) {
      if (this.#running >= most) return
      this.#waiting.delete(admit)
      admit()
    }
  }
}
