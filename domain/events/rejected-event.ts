/** Events that were rejected, as operators list them by a command or over the API: conflicts and dead letters. */

/**
 * redelivery_differs: a stored event again, with other fields. fork_suspected: a stored swap's position in its
 * transaction, in another slot and with other amounts.
 */
export const CONFLICT_KINDS = ['redelivery_differs', 'fork_suspected'] as const
export type ConflictKind = (typeof CONFLICT_KINDS)[number]

/** An event that contradicts a stored one, in addition to that one: both are lines of the ingest format. */
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

/** An event or message that an actor could not apply, without its bytes. */
export type DeadLetterRow = {
  id: number
  actor: string
  lane: number
  /** Sequence of its message in the stream, and its index within the message. */
  sequence: number
  part: number
  subject: string
  reason: string
  payload_bytes: number
  created_at: Date
  /** When it was sent again; null: it waits. */
  retried_at: Date | null
}
