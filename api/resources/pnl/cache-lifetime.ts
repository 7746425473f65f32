/** Seconds for which an answer about a wallet is cached: few while it trades. */
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { hasTradedSince } from './read.ts'

/** A wallet that traded so lately on the wall clock is hot: its cached responses are served for fewer seconds. */
const HOT_MS = 5 * 60_000
const HOT_SECONDS = 5
const COLD_SECONDS = 30

/** `now`: Unix ms of the wall clock. */
export function walletCacheSeconds(now: () => number) {
  return {
    read: async ({ wallet }: { wallet: string }, db: Queryable): Promise<number> =>
      (await hasTradedSince(db, wallet, now() - HOT_MS)) ? HOT_SECONDS : COLD_SECONDS,
  }
}
