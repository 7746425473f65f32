/** Close codes of the WebSocket feed. Pure. */
import { FRAME_BYTES_MAX } from '../../frame.ts'

export type Close = { code: number; reason: string; isWorthReturning: boolean }

const close = (code: number, reason: string, isWorthReturning = true): Close => ({
  code,
  reason,
  isWorthReturning,
})

export const CLOSES = {
  restart: close(1012, 'the server restarts'),
  overloaded: close(1013, 'the server is overloaded: reconnect later'),
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
