/** Settings of tests from the environment. */

/** The seed that the simulation is requested to run again. */
export const askedSeed = (): number | undefined => askedInteger('seed', 'SIMULATION_SEED')

/** How many runs of a random test are requested. */
export const askedRuns = (): number | undefined => askedInteger('runs', 'FUZZ_RUNS', 1)

/** How many kills of a leader are requested. */
export const askedKills = (): number | undefined => askedInteger('kills', 'LEADER_KILLS', 1)

/** Length (absent: one fault of each kind) and seed of the drill. */
export const askedDrill = (absent: { seed: number }) => ({
  faultCount: askedInteger('faults', 'DRILL_FAULTS', 1),
  seed: askedInteger('seed', 'DRILL_SEED') ?? absent.seed,
})

/** Absent where the variable is not set. Throws where it is no integer of at least `min`. */
function askedInteger(
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
export const askedCommit = (absent: string): string => process.env.DRILL_UPGRADE_FROM ?? absent
