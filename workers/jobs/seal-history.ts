/**
 * Seals the swaps that are older than SEAL_AFTER_HOURS, chunk by chunk, and writes the segment anew of which most rows are gone.
 * Without that setting the job ends at once.
 */
import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import { sealOld } from '../../history/sealing/sealer.ts'
import type { JobFunction } from './job-function.ts'

export const sealHistory: JobFunction<'seal-history'> = async (_payload, deps, signal) => {
  const { db, log, sealAfterHours } = deps
  if (sealAfterHours === undefined) return
  const order = {
    beforeMs: Date.now() - sealAfterHours * HOUR_MS,
    toSlot: Number.MAX_SAFE_INTEGER,
    partsOfChunks: false,
  }
  const { runs, waits } = await sealOld(db, order, signal, ({ low, high, rows, bytes }, ms) => {
    const figures = { rows, bytesPerSwap: Math.round(bytes / rows), durationMs: Math.round(ms) }
    log.info({ fromSlot: low, toSlot: high, ...figures }, 'sealed swaps')
  })
  if (waits !== undefined) log.debug({ runs, reason: waits }, 'sealing is put off')
}
