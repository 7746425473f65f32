/** What the OpenAPI document says of /graphql: how it is asked; its fields it tells itself. Pure. */

import { errorHeaders, jsonOf, LIMIT_HEADERS } from '../document-parts.ts'

const request = {
  type: 'object',
  required: ['query'],
  properties: {
    query: { type: 'string' },
    variables: { type: ['object', 'null'], additionalProperties: true },
    operationName: { type: ['string', 'null'] },
  },
  example: { query: '{ swaps(limit: 2) { signature swap_type sol_amount token { symbol } } }' },
}

const answer = {
  type: 'object',
  properties: {
    data: { type: ['object', 'null'], additionalProperties: true },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['message', 'extensions'],
        properties: {
          message: { type: 'string', description: 'For people; no stable format' },
          path: { type: 'array', items: { type: ['string', 'integer'] } },
          extensions: {
            type: 'object',
            required: ['code'],
            properties: { code: { type: 'string', description: 'As in REST, or of GraphQL' } },
          },
        },
      },
    },
  },
}

/** As GraphQL has it, but for what is the gateway's on every route. */
const refusal = (status: number, description: string, shape = 'GraphqlErrors') => ({
  description,
  ...errorHeaders(status, true),
  content: jsonOf(shape),
})
const responses = {
  200: {
    description: 'The answer; a field that failed is null, its error beside it',
    headers: LIMIT_HEADERS,
    content: { 'application/json': { schema: answer } },
  },
  400: refusal(
    400,
    'No query, one that is not valid, or one beyond the limits, its body too: INVALID_PARAM, ' +
      'MISSING_PARAM, GRAPHQL_PARSE_FAILED, GRAPHQL_VALIDATION_FAILED, BAD_USER_INPUT, ' +
      'OPERATION_RESOLUTION_FAILURE, QUERY_TOO_LARGE, PERSISTED_QUERY_NOT_SUPPORTED',
  ),
  401: refusal(401, 'UNAUTHORIZED', 'ErrorEnvelope'),
  406: refusal(406, 'INVALID_PARAM: Accept is of another kind'),
  415: refusal(415, 'INVALID_PARAM: the body is of another kind'),
  429: refusal(429, 'RATE_LIMIT_EXCEEDED', 'ErrorEnvelope'),
  500: refusal(500, 'INTERNAL'),
  503: refusal(503, 'UNAVAILABLE'),
  504: refusal(504, 'GATEWAY_TIMEOUT'),
}

const description =
  'A field for every route that reads, with its parameters as arguments; introspection tells all of it. ' +
  'Limits: 1,000 tokens, 15 aliases, 8 fields deep, a cost of 100,000 values by the limits of lists, 10 s, ' +
  '64 KiB. A browser gets a playground.'

export const GRAPHQL_PATHS = {
  '/graphql': {
    get: {
      operationId: 'graphql',
      summary: 'GraphQL, the query in the URL',
      description,
      tags: ['graphql'],
      parameters: [
        {
          name: 'query',
          in: 'query',
          required: true,
          schema: { type: 'string' },
          example: request.example.query,
        },
        { name: 'variables', in: 'query', schema: { type: 'string' }, description: 'JSON' },
        { name: 'operationName', in: 'query', schema: { type: 'string' } },
      ],
      responses,
    },
    post: {
      operationId: 'post_graphql',
      summary: 'GraphQL',
      description,
      tags: ['graphql'],
      requestBody: { required: true, content: { 'application/json': { schema: request } } },
      responses,
    },
  },
}
