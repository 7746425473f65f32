/**
 * Load beyond capacity: swaps at 150 % of what was measured, and more reads by one key than its tier admits. Reports
 * the answers of the API, the lag that the status showed, and the time after the load until both are as before.
 *
 * Each second at 150 % leaves half a second of work, more where reads take cores from the workers, so how long the lag
 * remains depends on how long the load lasted.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { TIER_LIMITS } from '../../api/gateway/limits/tier.ts'
import { listLanes } from '../../deploy/operations/lanes.ts'
import {
  type FigurePlan,
  quantileMs,
  type Sample,
  sharedClockMs,
  WrongResult,
} from '../measure/sample.ts'
import type { BenchContext } from '../measurement.ts'
import { makeKeys, type ReadLoad, read, type Took } from '../reads/reads.ts'
import type { Stage } from '../stage.ts'

export const SHARE_BEYOND = 1.5
const SECONDS = 5
const TIER = 'free'
/** A tier's window of 60 s is used up half way. */
const READS_PER_SECOND = ((TIER_LIMITS[TIER].windowRequests ?? 0) * 2) / SECONDS
/** Reads that show whether the API answers as before. */
const PROBES_PER_SECOND = 50
const PROBE_SECONDS = 3
/** Reads are as before where a second of them has this p99, or twice the p99 without load. */
const P99_MS_MAX = 250
const LAG_POLL_MS = 250
const RECOVERY_BOUND_MS = 180_000

const at = 'at 150 % of capacity'
const REFUSED = `reads ${at}, refused by 429 or 503 with Retry-After`
const FAILED = `reads ${at}, failed otherwise`
const LAG = `messages of lag that the status shows ${at}`
const LAG_GONE = `lag 0 after ${SECONDS} s ${at}`
const READS_BACK = `p99 of reads as before after ${SECONDS} s ${at}`

export const BEYOND_FIGURES: readonly FigurePlan[] = [
  { figure: REFUSED, unit: 'requests', goal: '> 0' },
  { figure: FAILED, unit: 'requests', goal: '0' },
  { figure: LAG, unit: 'messages', goal: '> 0' },
  { figure: LAG_GONE, unit: 's', digits: 1, goal: '<= 10' },
  { figure: READS_BACK, unit: 's', digits: 1, goal: '<= 10' },
]

/** Begins a load of swaps; `end` ends it, `ended` resolves when all are in SWAP. */
export type Load = { end(): void; ended: Promise<unknown> }

export async function goBeyond(
  context: BenchContext,
  stage: Stage,
  readLoad: Omit<ReadLoad, 'readsPerSecond'>,
  begin: () => Load,
): Promise<Sample[]> {
  const probing = { ...readLoad, readsPerSecond: PROBES_PER_SECOND }
  const before = p99Of(await read(probing, PROBE_SECONDS))
  const [key = ''] = await makeKeys(stage, TIER)
  const load = begin()
  const reading = read({ ...readLoad, keys: [key], readsPerSecond: READS_PER_SECOND }, SECONDS)
  // The reading is awaited after the lag.
  reading.catch(() => {})
  const untilMs = sharedClockMs() + SECONDS * 1_000
  let greatest = 0
  while (sharedClockMs() < untilMs) {
    await pause(LAG_POLL_MS)
    greatest = Math.max(greatest, await lagOf(stage))
  }
  load.end()
  const fromMs = sharedClockMs()
  const [lagSeconds, readsSeconds] = await Promise.all([
    load.ended.then(() => untilNoLag(stage, fromMs)),
    untilReadsAreBack(probing, Math.max(P99_MS_MAX, 2 * before), fromMs),
  ])
  const took = await reading
  const refused = took.filter(({ hasRetryAfter }) => hasRetryAfter)
  const failed = took.filter(
    ({ status, hasRetryAfter }) =>
      (status === 0 || (status >= 400 && status !== 404)) && !hasRetryAfter,
  )
  for (const [outcome, of] of Map.groupBy(failed, (each) => `${each.status} ${each.reason}`)) {
    context.say(`${of.length} failed: ${outcome}, the first after ${leastMs(of)} ms`)
  }
  const later = refused.filter(({ status }) => status === 503).length
  const p99 = (answers: readonly Took[]): string => p99Of(answers).toFixed(0)
  context.say(
    `${took.length} reads, ${refused.length} refused (${later} of them 503), p99 ${p99(refused)} ms, ` +
      `p99 of the others ${p99(took.filter(({ hasRetryAfter }) => !hasRetryAfter))} ms, ` +
      `without load ${before.toFixed(0)} ms`,
  )
  return [
    { figure: REFUSED, value: refused.length },
    { figure: FAILED, value: failed.length },
    { figure: LAG, value: greatest },
    { figure: LAG_GONE, value: lagSeconds },
    { figure: READS_BACK, value: readsSeconds },
  ]
}

const leastMs = (took: readonly Took[]): string => Math.min(...took.map(({ ms }) => ms)).toFixed(0)

const p99Of = (took: readonly Took[]): number => quantileMs(took, 0.99)

/** Lag of all lanes, as `swaptide status` and the console list them. */
async function lagOf({ db, jetStream, topology }: Stage): Promise<number> {
  const lanes = await listLanes(db, jetStream, topology)
  return lanes.reduce((sum, { lag }) => sum + lag, 0)
}

async function untilNoLag(stage: Stage, fromMs: number): Promise<number> {
  for (;;) {
    const lag = await lagOf(stage)
    const ms = sharedClockMs() - fromMs
    if (lag === 0) return ms / 1_000
    if (ms > RECOVERY_BOUND_MS) throw new WrongResult(`lag ${lag} after ${ms / 1_000} s`)
    await pause(LAG_POLL_MS)
  }
}

/** Seconds until the first second of reads with at most this p99 began. */
async function untilReadsAreBack(
  probing: ReadLoad,
  p99MsMax: number,
  fromMs: number,
): Promise<number> {
  for (;;) {
    const ms = sharedClockMs() - fromMs
    const took = await read(probing, 1)
    if (p99Of(took) <= p99MsMax && took.every(({ status }) => status > 0 && status < 500)) {
      return ms / 1_000
    }
    if (ms > RECOVERY_BOUND_MS) throw new WrongResult(`reads are slow after ${ms / 1_000} s`)
  }
}
