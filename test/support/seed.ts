/** The seed that the simulation is requested to run again, from the environment. */
export function askedSeed(): number | undefined {
  const text = process.env.SIMULATION_SEED
  if (text === undefined) return undefined
  const seed = Number(text)
  if (!Number.isSafeInteger(seed)) throw new Error(`seed "${text}": use an integer`)
  return seed
}

/** How many runs of a random test are requested, from the environment. */
export function askedRuns(): number | undefined {
  const text = process.env.FUZZ_RUNS
  if (text === undefined) return undefined
  const runs = Number(text)
  if (!Number.isSafeInteger(runs) || runs < 1) throw new Error(`runs "${text}": use an integer`)
  return runs
}

/** How many kills of a leader are requested, from the environment. */
export function askedKills(): number | undefined {
  const text = process.env.LEADER_KILLS
  if (text === undefined) return undefined
  const kills = Number(text)
  if (!Number.isSafeInteger(kills) || kills < 1) throw new Error(`kills "${text}": use an integer`)
  return kills
}

/** Length (absent: one fault of each kind) and seed of the drill, from the environment. */
export function askedDrill(absent: { seed: number }): { faultCount?: number; seed: number } {
  const { DRILL_FAULTS, DRILL_SEED = absent.seed } = process.env
  const seed = Number(DRILL_SEED)
  if (!Number.isSafeInteger(seed)) throw new Error(`DRILL_SEED "${DRILL_SEED}": use an integer`)
  if (DRILL_FAULTS === undefined) return { seed }
  const faultCount = Number(DRILL_FAULTS)
  if (!Number.isSafeInteger(faultCount) || faultCount < 1)
    throw new Error(`DRILL_FAULTS "${DRILL_FAULTS}": use an integer`)
  return { faultCount, seed }
}

/** The commit from which the upgrade test comes, from the environment. */
export const askedCommit = (absent: string): string => process.env.DRILL_UPGRADE_FROM ?? absent
