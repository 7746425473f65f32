/** What the OpenAPI document says of /graphql: how it is asked; its fields it tells itself. Pure. */

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

const content = { 'application/json': { schema: answer } }
const contentOf = (name: string) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
})
/** As GraphQL has it, but for what is the gateway's on every route. */
const refused = contentOf('GraphqlErrors')
const turnedAway = contentOf('ErrorEnvelope')
const seconds = { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds' } }
const responses = {
  200: { description: 'The answer; a field that failed is null, its error beside it', content },
  400: {
    description:
      'No query, one that is not valid, or one beyond the limits, its body too: INVALID_PARAM, ' +
      'MISSING_PARAM, GRAPHQL_PARSE_FAILED, GRAPHQL_VALIDATION_FAILED, BAD_USER_INPUT, ' +
      'OPERATION_RESOLUTION_FAILURE, QUERY_TOO_LARGE, PERSISTED_QUERY_NOT_SUPPORTED',
    content: refused,
  },
  406: { description: 'INVALID_PARAM: Accept is of another kind', content: refused },
  415: { description: 'INVALID_PARAM: the body is of another kind', content: refused },
  401: { description: 'UNAUTHORIZED', content: turnedAway },
  429: { description: 'RATE_LIMIT_EXCEEDED', headers: seconds, content: turnedAway },
  500: { description: 'INTERNAL', content: refused },
  503: { description: 'UNAVAILABLE', headers: seconds, content: refused },
  504: { description: 'GATEWAY_TIMEOUT', content: refused },
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
