/**
 * The seam between a backfill of the time up to now and a source that follows the chain meanwhile:
 *
 *   ... backfill up to the newest final block | slots that were not final | first slot of the source ...
 *
 * The slots between are read once they are final, so that no fork can replace what the backfill has read.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Coverage, missingParts } from '../../../domain/coverage.ts'
import { listCoverage } from '../../../sql/coverage.ts'
import type { Db } from '../../../sql/db.ts'
import { SourceError } from '../../../streams/sources/source.ts'
import type { CommandContext } from '../../cli/command.ts'
import type { RangeProvider } from '../block-provider.ts'
import { FOLLOWING } from '../resume-slot.ts'

const LOOK_MS = 1_000
/** Blocks become final after some 13 s. */
const FINAL_BOUND_MS = 120_000

/**
 * The parts after slot `to` that lie before the first slot of a source that follows the chain; none without such a source,
 * and undefined after an abort.
 */
export async function seamBefore(
  db: Db,
  { provider, to, venues }: { provider: RangeProvider; to: number; venues: number },
  { signal, progress }: Pick<CommandContext, 'signal' | 'progress'>,
): Promise<ReturnType<typeof missingParts> | undefined> {
  const covered = await listCoverage(db)
  const first = firstFollowed(covered, to)
  if (first === undefined || first <= to + 1) return []
  const last = first - 1
  const endsAt = performance.now() + FINAL_BOUND_MS
  while ((await finalizedSlot(provider, signal)) < last) {
    if (signal.aborted) return undefined
    if (performance.now() > endsAt) {
      const text = `slot ${last} of ${provider.host} is not final after ${FINAL_BOUND_MS / 1_000} s`
      throw new SourceError(text, { isRetryable: true })
    }
    progress.update(() => `waiting until slot ${last} is final`)
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
  return missingParts(covered, { from: to + 1, to: last }, venues)
}

/** 0 after an abort. */
async function finalizedSlot(provider: RangeProvider, signal: AbortSignal): Promise<number> {
  return await provider.finalizedSlot(signal).catch((error: unknown) => {
    if (signal.aborted) return 0
    throw error
  })
}

/** The first slot after `to` that such a source has read. */
function firstFollowed(covered: readonly Coverage[], to: number): number | undefined {
  const own = covered.filter(
    (range) => range.to > to && FOLLOWING.some((kind) => kind === range.source),
  )
  return own.length === 0 ? undefined : Math.min(...own.map(({ from }) => from))
}
