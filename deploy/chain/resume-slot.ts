/** Where a source that follows the chain continues. Pure. */
import { type Coverage, missingParts } from '../../domain/coverage.ts'

/** Sources that follow the chain, as `swaptide source` and the table `coverage` name them. */
export const FOLLOWING = ['rpc', 'geyser', 'portal'] as const

/** Word for the newest slot instead of a number. */
export const NEWEST = 'newest'

/**
 * The first slot after the last run that no source has read, up to `end`; undefined where there was no run. `isNext`: it is
 * the one after that run's last.
 */
export function resumeSlot(
  covered: readonly Coverage[],
  venues: number,
  end: number,
): { slot: number; isNext: boolean } | undefined {
  const own = covered.filter((range) => FOLLOWING.some((kind) => kind === range.source))
  if (own.length === 0) return undefined
  const last = Math.max(...own.map(({ to }) => to))
  const [missing] = missingParts(covered, { from: last + 1, to: end }, venues)
  const slot = missing?.from ?? end + 1
  return { slot, isNext: slot === last + 1 }
}
