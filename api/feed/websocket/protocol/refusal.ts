/**
 * Error response before the upgrade: plain HTTP with the API's error envelope, written to the socket itself, because
 * there is no response object. Pure.
 */

import { STATUS_CODES } from 'node:http'
import { counted } from '../../../../domain/text/plural.ts'
import { TIER_LIMITS } from '../../../gateway/limits/tier.ts'
import { VISITOR_STREAMS_MAX } from '../../../gateway/visitors.ts'
import type { Tier } from '../../../routing/caller.ts'
import { ApiError, renderError } from '../../../routing/error.ts'

/** Error for a tier whose connections are all open. */
export function allOpen(tier: Tier): ApiError {
  const most = counted(TIER_LIMITS[tier].streams ?? 0, 'concurrent connection')
  const text = `tier "${tier}" allows ${most}: close one or upgrade`
  return new ApiError('RATE_LIMIT_EXCEEDED', text)
}

/** Error for a visitor whose address has all its connections open. */
export function allOpenHere(): ApiError {
  const most = counted(VISITOR_STREAMS_MAX, 'concurrent connection')
  return new ApiError('RATE_LIMIT_EXCEEDED', `an address without a key has ${most}: close one`)
}

/** `requestId`: the same as in the log. */
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
