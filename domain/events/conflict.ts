/** A conflict as it is listed: a rejected event, beside the stored one that it contradicts. */

/**
 * redelivery_differs: a stored event again, with other fields. fork_suspected: a stored swap's position in its
 * transaction, in another slot and with other amounts.
 */
export const CONFLICT_KINDS = ['redelivery_differs', 'fork_suspected'] as const
export type ConflictKind = (typeof CONFLICT_KINDS)[number]

/** The two versions are lines of the ingest format. */
export type ConflictRow = {
  id: number
  kind: ConflictKind
  event: 'swap' | 'pool_event'
  signature: string
  pair_address: string
  /** The trader; for a pool event its creator, where it names one. */
  wallet: string | null
  stored_slot: number
  kept_out_slot: number
  stored: string
  kept_out: string
  seen_at: Date
}
