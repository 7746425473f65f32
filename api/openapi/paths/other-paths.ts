/**
 * OpenAPI paths that are not declared routes: the HTML reference, documents as text, the metrics and the WebSocket
 * handshake of the feed. Each is documented only when this process serves it. Pure.
 */

import { allOpen } from '../../feed/websocket/protocol/refusal.ts'
import { EXAMPLE_ID } from '../../resources/backtest/jobs/schema.ts'
import { EXAMPLE_ID as RANKING_ID } from '../../resources/leaderboard/past/schema.ts'
import { ApiError } from '../../routing/error.ts'
import { LIMIT_HEADERS, refusalIn } from '../document-parts.ts'
import { OPERATORS_ONLY, usualError } from '../error-of.ts'

export type Serves = {
  /** Operators may read `/metrics` here. */
  metrics: boolean
  /** `/ws/v1` is on this server. */
  feed: boolean
  /** Visitors without a key may read what the pages read. */
  publicPages: boolean
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

type Events = {
  path: string
  operationId: string
  tag: string
  /** The noun of the summary, without its article, and that of errors. */
  subject: string
  noun: string
  /** After the `done` event. */
  rest: string
  example: string
  id: string
}

const eventsOf = ({ path, operationId, tag, subject, noun, rest, example, id }: Events) => ({
  [`${path}/events`]: {
    get: {
      operationId,
      summary: `Progress of a ${subject} that a job computes, as server-sent events`,
      description:
        `One event a second while it changes: \`progress\` with the object of 202 of ${path}, then \`done\` with its answer${rest}, ` +
        '`failed` or `cancelled`. Last-Event-ID resumes after that event; 204: it was the last.',
      tags: [tag],
      security: [{ header: [] }, { bearer: [] }, { query: [] }],
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'Id of the job',
          schema: { type: 'string' },
          example: id,
        },
      ],
      responses: {
        200: textOf('text/event-stream', 'The events', example),
        204: { description: 'Last-Event-ID was the last event' },
        400: refusal(
          new ApiError('INVALID_PARAM', 'Last-Event-ID: expected the id of an event of this path'),
          'INVALID_PARAM',
          true,
        ),
        401: refusal(usualError('UNAUTHORIZED'), 'UNAUTHORIZED'),
        404: refusal(new ApiError('NOT_FOUND', `${noun} "${id}" not found`), 'NOT_FOUND', true),
        429: refusal(usualError('RATE_LIMIT_EXCEEDED'), 'RATE_LIMIT_EXCEEDED', true),
        500: refusal(usualError('INTERNAL'), 'INTERNAL', true),
        503: refusal(usualError('UNAVAILABLE'), 'UNAVAILABLE', true),
      },
    },
  },
})

const EVENTS = {
  ...eventsOf({
    ...{ path: '/v2/backtest/{id}', operationId: 'streamBacktest', tag: 'backtest' },
    ...{ subject: 'back-test', noun: 'back-test', id: EXAMPLE_ID },
    rest: ', whose next_cursor begins the trades',
    example:
      `event: progress\nid: 4\ndata: {"id":"${EXAMPLE_ID}","status":"running","orders":48210,"orders_done":12400,` +
      '"slot":366861924,"eta_ms":9350}\n\n',
  }),
  ...eventsOf({
    ...{ path: '/v2/asof/leaderboard/{id}', operationId: 'streamPastLeaderboard', tag: 'asof' },
    ...{ subject: 'leaderboard as of a slot', noun: 'leaderboard', id: RANKING_ID, rest: '' },
    example:
      `event: progress\nid: 3\ndata: {"id":"${RANKING_ID}","status":"running","wallets":5120,"wallets_done":1280,` +
      '"eta_ms":4210}\n\n',
  }),
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

/** A parameter of the path, without an example: none is known without data. */
const inPath = (name: string, description: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
})

/** A path of public pages: by the requests of the visitor's address. */
const visited = (operation: object, found: object, notFound?: string) => ({
  get: {
    tags: ['service'],
    security: [],
    ...operation,
    responses: {
      200: { ...found, headers: LIMIT_HEADERS },
      ...(notFound === undefined
        ? {}
        : { 404: refusal(new ApiError('NOT_FOUND', notFound), 'NOT_FOUND', true) }),
      429: refusal(usualError('RATE_LIMIT_EXCEEDED'), 'RATE_LIMIT_EXCEEDED', true),
      503: refusal(usualError('UNAVAILABLE'), 'UNAVAILABLE', true),
      504: refusal(usualError('GATEWAY_TIMEOUT'), 'GATEWAY_TIMEOUT', true),
    },
  },
})

const PICTURE = {
  description: 'The picture, 1200 by 630 pixels',
  content: { 'image/png': { schema: { type: 'string', contentMediaType: 'image/png' } } },
}
const MAP_BEGINS = '<?xml version="1.0" encoding="UTF-8"?>'
const UNKNOWN_ADDRESS = 'no swap of this address is indexed'

const PUBLIC_PAGES = {
  '/sitemap.xml': visited(
    {
      operationId: 'getSiteMap',
      summary: 'Pages for search engines, or an index of the parts of the list',
      parameters: [],
    },
    textOf('application/xml', 'The list', MAP_BEGINS),
  ),
  '/sitemap/{part}.xml': visited(
    {
      operationId: 'getSiteMapPart',
      summary: 'A part that the index names',
      parameters: [inPath('part', 'Name that the index has')],
    },
    textOf('application/xml', 'The list', MAP_BEGINS),
    'the site map has no such part',
  ),
  '/preview/site.png': visited(
    {
      operationId: 'getSitePreview',
      summary: 'Picture of the pages, for previews of links',
      parameters: [],
    },
    PICTURE,
  ),
  '/preview/token/{mint}.png': visited(
    {
      operationId: 'getTokenPreview',
      summary: 'Picture of a token, with price, change, volume and the line of a day',
      parameters: [inPath('mint', 'Token mint')],
    },
    PICTURE,
    UNKNOWN_ADDRESS,
  ),
  '/preview/wallet/{wallet}.png': visited(
    {
      operationId: 'getWalletPreview',
      summary: 'Picture of a wallet, with realized PnL, win rate and the value of open positions',
      parameters: [inPath('wallet', 'Wallet')],
    },
    PICTURE,
    UNKNOWN_ADDRESS,
  ),
}

export function otherPaths({ metrics, feed, publicPages }: Serves): Record<string, unknown> {
  return {
    ...{ ...DOCS, ...EVENTS, ...TEXTS, ...VISITORS },
    ...(publicPages ? PUBLIC_PAGES : {}),
    ...(metrics ? METRICS : {}),
    ...(feed ? FEED : {}),
  }
}
