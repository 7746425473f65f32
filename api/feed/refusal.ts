/**
 * A refusal before the upgrade: plain HTTP with the gateway's envelope, written onto the socket itself,
 * because there is no response yet. Pure.
 */
import { STATUS_CODES } from 'node:http'
import { type ApiError, renderError } from '../error.ts'

export function refusalText(error: ApiError): { status: number; text: string } {
  const { status, body, headers } = renderError(error, 'enveloped')
  const content = JSON.stringify(body)
  const lines = Object.entries({
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(content)),
    Vary: 'X-API-Key, Authorization',
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  const text = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', content].join('\r\n')
  return { status, text }
}
