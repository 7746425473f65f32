/**
 * How fast this machine is just now, by work that no change of Swaptide touches: a fixed loop, first touches of memory,
 * and fsync. Tables of different hours compare by these. Medians of some tries each, of a second in all.
 *
 * A loop that takes longer than its CPU time shared its core with other programs.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spreadOf } from './sample.ts'

export type Calibration = {
  /** CPU milliseconds of the loop, and how long it took. */
  loopCpuMs: number
  loopMs: number
  /** Microseconds of CPU for the first touch of a page of 4 KiB. */
  pageTouchMicros: number
  /** Milliseconds of a write of 8 KiB with fsync, in the folder of the servers. */
  fsyncMs: number
  /** Programs that wanted a core in the last minute, on average. */
  load: number
}

const LOOP_ROUNDS = 20_000_000
const LOOP_TRIES = 5
const PAGE_BYTES = 4_096
const TOUCHED_PAGES = 8_192
const TOUCH_TRIES = 3
const FSYNC_BYTES = 8_192
const FSYNC_TRIES = 40

/** `folder`: on the disk that the servers write to. */
export function calibrate(folder: string): Calibration {
  loop()
  const loops = triesOf(LOOP_TRIES, loop)
  const touches = triesOf(TOUCH_TRIES, touchPages)
  return {
    loopCpuMs: medianOf(loops.map(({ cpuMs }) => cpuMs)),
    loopMs: medianOf(loops.map(({ ms }) => ms)),
    pageTouchMicros: (medianOf(touches.map(({ cpuMs }) => cpuMs)) * 1_000) / TOUCHED_PAGES,
    fsyncMs: medianOf(fsyncs(folder)),
    load: loadavg()[0] ?? 0,
  }
}

/** One sentence for the introduction of a table. */
export function calibrationText(found: Calibration): string {
  const { loopCpuMs, loopMs, pageTouchMicros, fsyncMs, load } = found
  return [
    `Calibration: loop ${loopCpuMs.toFixed(1)} ms of CPU in ${loopMs.toFixed(1)} ms`,
    `first touch of a page ${pageTouchMicros.toFixed(2)} us`,
    `fsync ${fsyncMs.toFixed(2)} ms`,
    `load ${load.toFixed(1)} before the first round.`,
  ].join(', ')
}

/** The commit of this checkout, and whether files other than recorded figures differ from it; without a repository "unknown". */
export function commitOfBench(folder = fileURLToPath(new URL('..', import.meta.url))): string {
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  try {
    const commit = git('rev-parse', '--short=8', 'HEAD')
    return git('status', '--porcelain', '--', '.', ':!docs/measurements') === ''
      ? commit
      : `${commit} with changes`
  } catch {
    return 'unknown'
  }
}

function medianOf(values: readonly number[]): number {
  return spreadOf(values).median
}

type Took = { cpuMs: number; ms: number }

function triesOf(count: number, work: () => number): Took[] {
  return Array.from({ length: count }, () => {
    const [fromCpu, fromMs] = [process.cpuUsage(), performance.now()]
    work()
    const { user, system } = process.cpuUsage(fromCpu)
    return { cpuMs: (user + system) / 1_000, ms: performance.now() - fromMs }
  })
}

/** Mixes 32 bits; the result is returned so that no compiler leaves the loop out. */
function loop(): number {
  let mixed = 0x811c9dc5
  for (let round = 0; round < LOOP_ROUNDS; round++) {
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) + round
  }
  return mixed
}

function touchPages(): number {
  const pages = Buffer.allocUnsafeSlow(TOUCHED_PAGES * PAGE_BYTES)
  for (let at = 0; at < pages.length; at += PAGE_BYTES) pages[at] = 1
  return pages.length
}

function fsyncs(folder: string): number[] {
  const file = openSync(join(folder, 'calibration'), 'w')
  const bytes = Buffer.alloc(FSYNC_BYTES, 1)
  try {
    return Array.from({ length: FSYNC_TRIES }, () => {
      const fromMs = performance.now()
      writeSync(file, bytes)
      fsyncSync(file)
      return performance.now() - fromMs
    })
  } finally {
    closeSync(file)
  }
}
