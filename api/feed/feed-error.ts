/** Errors that the WebSocket feed sends to a client, and their codes. Pure. */
import { maskKeys } from '../routing/key-format.ts'

export const FEED_CODES = [
  'BAD_JSON',
  'BAD_REQUEST',
  'UNKNOWN_OP',
  'UNKNOWN_CHANNEL',
  'INVALID_FILTER',
  'FILTER_TOO_LARGE',
  'TOO_MANY_SUBSCRIPTIONS',
  'DUPLICATE_SUB',
  'UNKNOWN_SUB',
  'TIER_LOCKED',
  'RATE_LIMITED',
  'CURSOR_INVALID',
  'CURSOR_EXPIRED',
  'CURSOR_EPOCH_CHANGED',
  'CURSOR_AHEAD',
  'REPLAY_BUSY',
  'SLOW_CONSUMER',
  'UNAUTHORIZED',
  'UNAVAILABLE',
  'INTERNAL',
] as const
export type FeedCode = (typeof FEED_CODES)[number]

/** Error that is sent to the client in an error frame; the connection stays open. */
export class FeedError extends Error {
  readonly code: FeedCode
  readonly details: Record<string, unknown> | undefined

  constructor(code: FeedCode, text: string, details?: Record<string, unknown>) {
    // Many texts quote what the client sent: mask keys.
    super(maskKeys(text))
    this.name = 'FeedError'
    this.code = code
    this.details = details
  }
}
