/**
 * Sectors that operators set through the API, as token events of the stream.
 *
 * Law: of one slot the greater text wins, so each change has a slot above all known ones and above the last one of this
 * process, and is answered when it is counted, or known to be late: a later change of the same mint, by any process,
 * then has a higher slot.
 */
import { addToAudit } from '../../api/admin/audit.ts'
import type { MintSector } from '../../api/admin/operations.ts'
import { ApiError } from '../../api/routing/error.ts'
import type { Db } from '../../sql/db.ts'
import { endedBy } from '../../streams/jobs/redis.ts'
import {
  newestSlot,
  publishTokens,
  slotAbove,
  type TokenStream,
  untilCounted,
} from './token-publishing.ts'

/** Milliseconds for all of it: a request ends after 5 s, and is to be answered before. */
const STORE_BOUND_MS = 4_000

type StoreSectors = (sectors: readonly MintSector[], by: string) => Promise<{ isCounted: boolean }>

export function createSectorStore(db: Db, stream: TokenStream): StoreSectors {
  let highestGiven = 0
  const nextSlot = async (): Promise<number> => {
    const known = await newestSlot(db)
    highestGiven = slotAbove(Math.max(known, highestGiven))
    return highestGiven
  }
  return async (sectors, by) => {
    if (sectors.length === 0) return { isCounted: true }
    const signal = AbortSignal.timeout(STORE_BOUND_MS)
    const slot = await nextSlot()
    if (signal.aborted) throw new ApiError('GATEWAY_TIMEOUT', 'the query took too long: try again')
    const tokens = sectors.map(({ mint, sector }) => ({ tokenAddress: mint, slot, sector }))
    const sending = publishTokens(tokens, stream, signal).then(async (sent) => {
      const mints = sectors.map(({ mint }) => mint)
      await addToAudit(db, 'sector_stored', mints, by)
      return sent
    })
    const sent = await before(signal, sending)
    const isCounted = await untilCounted(sent, db, signal)
    return { isCounted: isCounted && sent.duplicates === 0 }
  }
}

/** Messages that the stream stores after an abort are audited all the same. */
async function before<Result>(signal: AbortSignal, sending: Promise<Result>): Promise<Result> {
  try {
    return await endedBy(signal, sending)
  } catch (cause) {
    if (!signal.aborted) throw cause
    const text = 'the stream did not take it in time: try again'
    throw new ApiError('UNAVAILABLE', text, { cause })
  }
}
