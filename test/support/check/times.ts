/** How long test files take: the limit of time of each, and the report at the end of a run. */
import { copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { procStat } from '../../../deploy/local/proc-stat.ts'
import { CACHE } from '../cache.ts'
import { sizeOf } from '../seed.ts'
import { readText } from '../sources.ts'
import type { Took } from './threads.ts'

/**
 * Multiples of a file's median: a machine half as fast with another busy program needs about four. Medians are those of daily runs; in
 * the long size the longest random tests take thirty times as long.
 */
const FACTOR = sizeOf({ daily: 5, long: 100 })
/** Short files vary more: one that waits for a server may take some minutes longer. */
const LEAST_MS = sizeOf({ daily: 5, long: 120 }) * 60_000
/** A file that was not measured yet. */
const UNKNOWN_MS = sizeOf({ daily: 10, long: 120 }) * 60_000
const SLOWEST_SHOWN = 10
const STORED = join(CACHE, 'times')
const RUNS_STORED = 5
export const TIMES_FILE = 'test/support/check/times.json'

/** Median seconds of each test file, written by `npm run times` from the last runs. */
const MEDIANS: Readonly<Record<string, number>> = JSON.parse(readText(TIMES_FILE))

export function secondsOf(file: string): number | undefined {
  return MEDIANS[file]
}

/** Milliseconds for every file, in place of its own limit: for tests of the limits. */
export const LIMIT_VARIABLE = 'AVA_TEST_LIMIT_MS'

/** Milliseconds after which a test file is ended. */
export function limitMsOf(file: string): number {
  const given = process.env[LIMIT_VARIABLE]
  if (given !== undefined) return Number(given)
  const seconds = MEDIANS[file]
  return seconds === undefined ? UNKNOWN_MS : Math.max(LEAST_MS, seconds * 1_000 * FACTOR)
}

/** Lines of a run; none where no file ended. */
export async function readTimes(path: string): Promise<Took[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Took)
}

/** The slowest files, those that were ended, and the CPU of the whole run. */
export function printTimes(times: readonly Took[]): void {
  const slowest = times.toSorted((one, other) => other.seconds - one.seconds)
  console.log('slowest test files:')
  for (const { file, seconds, cpuSeconds } of slowest.slice(0, SLOWEST_SHOWN)) {
    console.log(
      `  ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU in its thread  ${file}`,
    )
  }
  console.log(
    `${times.length} files, ${Math.round(cpuSecondsOfRun())} CPU-seconds with all programs`,
  )
  const ended = times.filter(({ isEnded }) => isEnded)
  if (ended.length > 0) console.log(`${ended.length} test files ended at their limit`)
}

/** User and kernel time of a program and of those that it awaited: fields of proc(5). */
const CPU_FIELDS = [14, 15, 16, 17]
const TICKS_A_SECOND = 100

/** CPU of this process and of all programs that it or its children started and awaited. */
function cpuSecondsOfRun(): number {
  const field = procStat(process.pid)
  return CPU_FIELDS.reduce((sum, each) => sum + Number(field?.(each) ?? 0), 0) / TICKS_A_SECOND
}

/** Stores the lines of a whole run for `npm run times`, and those of the runs before it. */
export async function storeTimes(path: string): Promise<void> {
  await mkdir(STORED, { recursive: true })
  await copyFile(path, join(STORED, `${Date.now()}.ndjson`))
  const names = (await readdir(STORED)).toSorted()
  for (const name of names.slice(0, -RUNS_STORED)) await rm(join(STORED, name))
}

/** Median seconds over the stored runs of each test file that the newest of them has, sorted by name. */
export async function mediansOfRuns(): Promise<Record<string, number>> {
  const names = (await readdir(STORED)).toSorted()
  const runs = await Promise.all(names.map((name) => readTimes(join(STORED, name))))
  const newest = new Set(runs.at(-1)?.map(({ file }) => file))
  const present = runs.flat().filter(({ file }) => newest.has(file))
  const byFile = Map.groupBy(present, ({ file }) => file)
  const medians = [...byFile].map(([file, times]): [string, number] => {
    const sorted = times.map(({ seconds }) => seconds).toSorted((one, other) => one - other)
    return [file, Math.ceil(sorted[Math.floor(sorted.length / 2)] ?? 0)]
  })
  return Object.fromEntries(medians.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
