/** Effects of arrivals that are stored as they came. Pure. */
import type { Arrivals } from './decode.ts'

/** All but those of swaps and pool events. */
export function otherEffects({ tokens, runs, deadLetters, conflicts, ...others }: Arrivals) {
  const { retractions, retractedCount } = others
  return { tokens, runs, deadLetters, conflicts, retractions, retractedCount }
}
