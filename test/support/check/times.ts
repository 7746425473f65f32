/** How long test files take, and the limit of time that follows for each. */
import { readText } from '../sources.ts'

/** Multiples of a file's median: a machine half as fast with another busy program needs about four. */
const FACTOR = 5
/** Short files vary more: one that waits for a server may take a minute longer. */
const LEAST_MS = 3 * 60_000
/** A file that was not measured yet. */
const UNKNOWN_MS = 10 * 60_000

/** Median seconds of each test file, written by `npm run generate:times`. */
const MEDIANS: Readonly<Record<string, number>> = JSON.parse(
  readText('test/support/check/times.json'),
)

/** Milliseconds after which a test file is ended. */
export function limitMsOf(file: string): number {
  const seconds = MEDIANS[file]
  return seconds === undefined ? UNKNOWN_MS : Math.max(LEAST_MS, seconds * 1_000 * FACTOR)
}
