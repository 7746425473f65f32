/**
 * OpenAPI paths that are not declared routes: the HTML reference, documents as text, the metrics and the WebSocket
 * handshake of the feed. Each is documented only when this process serves it. Pure.
 */

import { allOpen } from '../../feed/websocket/protocol/refusal.ts'
import { ApiError } from '../../routing/error.ts'
import { LIMIT_HEADERS, refusalIn } from '../document-parts.ts'
import { OPERATORS_ONLY, usualError } from '../error-of.ts'

export type Serves = {
  /** Operators may read `/metrics` here. */
  metrics: boolean
  /** `/ws/v1` is on this server. */
  feed: boolean
}

const refusal = (error: ApiError, description: string, hasLimit = false) =>
  refusalIn({ error, family: 'enveloped', description, hasLimit })

const textOf = (type: string, description: string, example: string) => ({
  description,
  content: { [type]: { schema: { type: 'string' }, example } },
})

const DOCS = {
  '/docs': {
    get: {
      operationId: 'getDocsPage',
      summary: 'This document as a page, where a request can be tried',
      tags: ['service'],
      security: [],
      parameters: [],
      responses: { 200: textOf('text/html', 'The page', '<!doctype html>') },
    },
  },
}

const TEXTS = {
  '/llms.txt': {
    get: {
      operationId: 'getDocumentList',
      summary: 'The documents of this version, as a list for programs that read them',
      tags: ['service'],
      security: [],
      parameters: [],
      responses: { 200: textOf('text/plain', 'The list', '# Swaptide\n') },
    },
  },
  '/schema.graphql': {
    get: {
      operationId: 'getGraphqlSchema',
      summary: 'The schema of /graphql in the schema language',
      tags: ['graphql'],
      security: [],
      parameters: [],
      responses: { 200: textOf('text/plain', 'The schema', 'type Query {\n') },
    },
  },
  '/docs/{name}.md': {
    get: {
      operationId: 'getDocument',
      summary: 'A document of this version as Markdown',
      description:
        'Those of a folder are at /docs/decisions/{name}.md and /docs/measurements/{name}.md.',
      tags: ['service'],
      security: [],
      parameters: [
        {
          name: 'name',
          in: 'path',
          required: true,
          description: 'Name of the document',
          schema: { type: 'string' },
          example: 'rest',
        },
      ],
      responses: {
        200: textOf('text/markdown', 'The document', '# REST\n'),
        404: refusal(new ApiError('NOT_FOUND', 'document not found'), 'NOT_FOUND'),
      },
    },
  },
}

const VISITORS = {
  '/robots.txt': {
    get: {
      operationId: 'getRobots',
      summary: 'Rules for crawlers: they may read the documents',
      tags: ['service'],
      security: [],
      parameters: [],
      responses: { 200: textOf('text/plain', 'The rules', 'User-agent: *\nDisallow: /\n') },
    },
  },
  '/favicon.ico': {
    get: {
      operationId: 'getFavicon',
      summary: 'No icon, which browsers request on their own',
      tags: ['service'],
      security: [],
      parameters: [],
      responses: { 204: { description: 'There is none' } },
    },
  },
}

const METRICS = {
  '/metrics': {
    get: {
      operationId: 'getMetrics',
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
        401: refusal(OPERATORS_ONLY, 'UNAUTHORIZED'),
      },
    },
  },
}

const FEED = {
  '/ws/v1': {
    get: {
      operationId: 'openFeed',
      summary: 'The feed: a handshake of WebSocket',
      description:
        'Frames are described in /asyncapi.json. The key comes with the handshake, which counts 1; a connection ' +
        'holds one of the places of its tier.',
      tags: ['feed'],
      security: [{ header: [] }, { bearer: [] }, { query: [] }],
      parameters: [],
      responses: {
        101: { description: 'The connection is one of WebSocket now', headers: LIMIT_HEADERS },
        400: refusal(
          new ApiError(
            'INVALID_PARAM',
            'no handshake: Missing or invalid Sec-WebSocket-Version header',
          ),
          'INVALID_PARAM: no handshake, or an unknown parameter',
        ),
        401: refusal(usualError('UNAUTHORIZED'), 'UNAUTHORIZED'),
        404: refusal(
          new ApiError('NOT_FOUND', 'no route "GET /ws/v1"'),
          'NOT_FOUND: a request without a handshake',
          true,
        ),
        // A handshake without a free slot is not counted, so it has no rate-limit headers.
        429: refusal(allOpen('free'), 'RATE_LIMIT_EXCEEDED: no request or no place is left'),
        500: refusal(usualError('INTERNAL'), 'INTERNAL'),
        503: refusal(usualError('UNAVAILABLE'), 'UNAVAILABLE'),
        504: refusal(usualError('GATEWAY_TIMEOUT'), 'GATEWAY_TIMEOUT'),
      },
    },
  },
}

export function otherPaths({ metrics, feed }: Serves): Record<string, unknown> {
  return { ...DOCS, ...TEXTS, ...VISITORS, ...(metrics ? METRICS : {}), ...(feed ? FEED : {}) }
}
