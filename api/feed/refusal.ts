/**
 * A refusal before the upgrade: plain HTTP with the gateway's envelope, written onto the socket itself,
 * because there is no response yet. Pure.
 */
import { STATUS_CODES } from 'node:http'
import { ApiError, renderError } from '../error.ts'
import type { Tier } from '../gateway/keys.ts'
import { TIER_LIMITS } from '../gateway/tier.ts'
import { counted } from '../shown-text.ts'

/** All connections that a key of the tier may have are open. */
export function allOpen(tier: Tier): ApiError {
  const most = counted(TIER_LIMITS[tier].streams ?? 0, 'connection')
  return new ApiError('RATE_LIMIT_EXCEEDED', `the tier "${tier}" has ${most} at once: all are open`)
}

/** `requestId`: as the log has it. */
export function refusalText(error: ApiError, requestId: string): { status: number; text: string } {
  const { status, body, headers } = renderError(error, 'enveloped')
  const content = JSON.stringify(body)
  const lines = Object.entries({
    ...headers,
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(content)),
    Vary: 'X-API-Key, Authorization',
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  const text = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', content].join('\r\n')
  return { status, text }
}
