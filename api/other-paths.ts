/**
 * What the OpenAPI document says of paths that are no routes of ours: the reference for people, the metrics and
 * the handshake of the feed. Each stands in it where this process serves it. Pure.
 */
import { errorHeaders, jsonOf, LIMIT_HEADERS } from './document-parts.ts'

export type Serves = {
  /** Operators may read `/metrics` here. */
  metrics: boolean
  /** `/ws/v1` is on this server. */
  feed: boolean
}

const refusal = (status: number, description: string, hasLimit = false) => ({
  description,
  ...errorHeaders(status, hasLimit),
  content: jsonOf('ErrorEnvelope'),
})

const textOf = (type: string, description: string, example: string) => ({
  description,
  content: { [type]: { schema: { type: 'string' }, example } },
})

const DOCS = {
  '/docs': {
    get: {
      operationId: 'docs',
      summary: 'This document as a page, where a request can be tried',
      tags: ['service'],
      security: [],
      parameters: [],
      responses: { 200: textOf('text/html', 'The page', '<!doctype html>') },
    },
  },
}

const METRICS = {
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Metrics of this process, for Prometheus',
      description: 'The same without a key is on METRICS_PORT, where that is set.',
      tags: ['service'],
      security: [{ operator: [] }],
      parameters: [],
      responses: {
        200: textOf(
          'text/plain',
          'In the text format of Prometheus',
          'swaptide_limiter_verdicts_total{verdict="admitted"} 5987\n',
        ),
        401: refusal(401, 'UNAUTHORIZED'),
      },
    },
  },
}

const FEED = {
  '/ws/v1': {
    get: {
      operationId: 'ws_v1',
      summary: 'The feed: a handshake of WebSocket',
      description:
        'Frames stand in /asyncapi.json. The key comes with the handshake, which counts 1; a connection ' +
        'holds one of the places of its tier.',
      tags: ['feed'],
      security: [{ header: [] }, { bearer: [] }, { query: [] }],
      parameters: [],
      responses: {
        101: { description: 'The connection is one of WebSocket now', headers: LIMIT_HEADERS },
        400: refusal(400, 'INVALID_PARAM: no handshake'),
        401: refusal(401, 'UNAUTHORIZED'),
        404: refusal(404, 'NOT_FOUND: a request without a handshake', true),
        429: refusal(429, 'RATE_LIMIT_EXCEEDED: no request or no place is left', true),
        500: refusal(500, 'INTERNAL'),
        503: refusal(503, 'UNAVAILABLE'),
        504: refusal(504, 'GATEWAY_TIMEOUT'),
      },
    },
  },
}

export function otherPaths({ metrics, feed }: Serves): Record<string, unknown> {
  return { ...DOCS, ...(metrics ? METRICS : {}), ...(feed ? FEED : {}) }
}
