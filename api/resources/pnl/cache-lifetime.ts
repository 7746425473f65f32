/**
 * How long the answers about a wallet are good: shorter while it trades.
 */
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { hasTradedSince } from './read.ts'

const HOT_MS = 5 * 60_000
const HOT_SECONDS = 5
const COLD_SECONDS = 30

/** Seconds; hot is a wallet that traded in the last five minutes of the wall clock. */
export function cacheSecondsBy(now: () => number) {
  return {
    read: async ({ wallet }: { wallet: string }, db: Queryable): Promise<number> =>
      (await hasTradedSince(db, wallet, now() - HOT_MS)) ? HOT_SECONDS : COLD_SECONDS,
  }
}
