/** Settings of random tests from the environment: their seeds, and how much of each runs. */
import { FAILED_SEEDS, type Suite } from './failed-seeds.ts'

/**
 * How much a random test runs: `daily` in each run of the suite, whose fresh seeds add up over many runs, and `long`
 * before a release.
 */
type Size = { daily: number; long: number }

/** `npm run test:long` sets it. Throws where it is another word than the two sizes. */
export const sizeOf = (size: Size): number => {
  const { TEST_SIZE = 'daily' } = process.env
  if (TEST_SIZE !== 'daily' && TEST_SIZE !== 'long')
    throw new Error(`size of tests "${TEST_SIZE}": use daily or long`)
  return size[TEST_SIZE]
}

/** The seed that the simulation is requested to run again. */
export const requestedSeed = (): number | undefined => requestedInteger('seed', 'SIMULATION_SEED')

/** The seed that is requested only; otherwise those that failed once, and `size` fresh ones. */
export function seedsOf(suite: Suite, size: Size): number[] {
  const requested = requestedSeed()
  if (requested !== undefined) return [requested]
  const first = freshSeed()
  const fresh = Array.from({ length: sizeOf(size) }, (_, index) => first + index)
  return [...FAILED_SEEDS[suite].map(({ seed }) => seed), ...fresh]
}

/** Another one in each run. */
export const freshSeed = (): number => Date.now() % 1_000_000_000

/** How many runs of a random test are requested. */
export const requestedRuns = (size: Size): number =>
  requestedInteger('runs', 'FUZZ_RUNS', 1) ?? sizeOf(size)

/** How many kills of a leader are requested. */
export const requestedKills = (size: Size): number =>
  requestedInteger('kills', 'LEADER_KILLS', 1) ?? sizeOf(size)

/** Length (absent: one fault of each kind) and seed of the drill. */
export const requestedDrill = (absent: { seed: number }) => ({
  faultCount: requestedInteger('faults', 'DRILL_FAULTS', 1),
  seed: requestedInteger('seed', 'DRILL_SEED') ?? absent.seed,
})

/** Absent where the variable is not set. Throws where it is no integer of at least `min`. */
function requestedInteger(
  noun: string,
  variable: string,
  min = Number.MIN_SAFE_INTEGER,
): number | undefined {
  const text = process.env[variable]
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < min)
    throw new Error(`${noun} "${text}": use an integer`)
  return value
}

/** The commit from which the upgrade test comes, from the environment. */
export const requestedCommit = (absent: string): string => process.env.DRILL_UPGRADE_FROM ?? absent

/** Whether the upgrade test installs its packages by npm, from its registry. Throws where it is another word. */
export function requestsNpm(): boolean {
  const { DRILL_INSTALL: how } = process.env
  if (how !== undefined && how !== 'npm') throw new Error(`DRILL_INSTALL "${how}": use npm`)
  return how === 'npm'
}
