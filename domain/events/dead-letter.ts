/**
 * A dead letter as operators see it, by a command or over the API: the rejected event, without its bytes.
 */
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
