/** The seed that the simulation is requested to run again, from the environment. */
export function askedSeed(): number | undefined {
  const text = process.env.SIMULATION_SEED
  if (text === undefined) return undefined
  const seed = Number(text)
  if (!Number.isSafeInteger(seed)) throw new Error(`seed "${text}": use an integer`)
  return seed
}
