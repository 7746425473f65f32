/** Seconds for which an answer about a wallet is cached: few while it trades. */
import { INT64_MAX } from '../../../domain/amount.ts'
import { hasSwapSince } from '../../../history/swaps/wallets.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

const findSlotRange = query<{ low_slot: number; high_slot: number }>('swaps/find_slot_range')

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

/** Whether a swap of the wallet is no older than that, whatever its place in canonical order. */
async function hasTradedSince(db: Queryable, wallet: string, sinceMs: number): Promise<boolean> {
  const [range] = await findSlotRange(db, [sinceMs, INT64_MAX])
  if (range === undefined) return false
  return hasSwapSince(db, wallet, { low: range.low_slot, high: range.high_slot }, sinceMs)
}
