/**
 * Codes of error frames, and close codes of the WebSocket feed. Pure.
 */
import { maskKeys } from '../../../routing/key-format.ts'

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

export type Close = { code: number; reason: string; isWorthReturning: boolean }

const close = (code: number, reason: string, isWorthReturning = true): Close => ({
  code,
  reason,
  isWorthReturning,
})

/** Maximum bytes of a client's message, and of a whole data frame of the server. */
export const FRAME_BYTES_MAX = 64 * 1024

export const CLOSES = {
  restart: close(1012, 'the server restarts'),
  overloaded: close(1013, 'the server cannot go on with this connection just now'),
  protocol: close(4400, 'too many frames that cannot be understood', false),
  brokenFrame: close(1002, 'a frame breaks RFC 6455', false),
  badContent: close(1007, 'a text is not UTF-8, or a compressed message cannot be inflated', false),
  tooManyParts: close(1008, 'a message has too many fragments', false),
  tooLarge: close(1009, `a message is larger than ${FRAME_BYTES_MAX} bytes`, false),
  revoked: close(4401, 'the API key is no longer valid', false),
  idle: close(4408, 'no subscription in time, or no pong'),
  slow: close(4410, 'the client reads too slowly'),
  abuse: close(4429, 'far too many requests', false),
} as const satisfies Record<string, Close>

/** Close for a violation of RFC 6455, by its close code. */
export function closeOfBroken(code: number): Close {
  return Object.values<Close>(CLOSES).find((each) => each.code === code) ?? CLOSES.brokenFrame
}
