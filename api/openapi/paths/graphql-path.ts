/** OpenAPI path of /graphql: how it is requested. Its fields are documented by its own schema. Pure. */

import Type from 'typebox'
import { grouped } from '../../../domain/text/plural.ts'
import { LIMITS } from '../../graphql/limits.ts'
import { ApiError } from '../../routing/error.ts'
import { LIMIT_HEADERS, refusalIn } from '../document-parts.ts'
import { usualError } from '../error-of.ts'
import type { Examples } from '../examples.ts'

const request = Type.Unsafe({
  type: 'object',
  title: 'GraphqlQuery',
  required: ['query'],
  properties: {
    query: { type: 'string' },
    variables: { type: ['object', 'null'], additionalProperties: true },
    operationName: { type: ['string', 'null'] },
  },
})

const GRAPHQL_OPERATION = 'queryGraphql'

/** The query whose answer is recorded. */
export const GRAPHQL_EXAMPLE = {
  query:
    'query Newest($limit: Int) { swaps(limit: $limit) { signature swap_type sol_amount token { symbol } } }',
  variables: { limit: 1 },
  operationName: 'Newest',
}
const answer = Type.Unsafe({
  type: 'object',
  title: 'GraphqlAnswer',
  properties: {
    data: { type: ['object', 'null'], additionalProperties: true },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        title: 'GraphqlError',
        required: ['message', 'extensions'],
        properties: {
          message: { type: 'string', description: 'For people; no stable format' },
          path: { type: 'array', items: { type: ['string', 'integer'] } },
          extensions: {
            type: 'object',
            required: ['code'],
            title: 'GraphqlErrorExtensions',
            properties: { code: { type: 'string', description: 'As in REST, or of GraphQL' } },
          },
        },
      },
    },
  },
})
/** The named schemas of these paths. */
export const GRAPHQL_SCHEMAS = [request, answer]

const unfit = (text: string, status: number) => new ApiError('INVALID_PARAM', text, { status })
const refusal = (error: ApiError, description?: string) =>
  refusalIn({ error, family: 'graphql', hasLimit: true, ...(description ? { description } : {}) })
const responsesWith = (example: unknown) => ({
  200: {
    description: 'The answer; a field that failed is null, its error next to it',
    headers: LIMIT_HEADERS,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/GraphqlAnswer' },
        example,
      },
    },
  },
  400: refusal(
    usualError('MISSING_PARAM'),
    'No query, one that is not valid, or one beyond the limits, its body too: INVALID_PARAM, ' +
      'MISSING_PARAM, GRAPHQL_PARSE_FAILED, GRAPHQL_VALIDATION_FAILED, BAD_USER_INPUT, ' +
      'OPERATION_RESOLUTION_FAILURE, QUERY_TOO_LARGE, PERSISTED_QUERY_NOT_SUPPORTED',
  ),
  401: refusal(usualError('UNAUTHORIZED')),
  406: refusal(
    unfit(
      'Accept "image/png": expected application/json or application/graphql-response+json',
      406,
    ),
    'INVALID_PARAM: Accept is of another kind',
  ),
  415: refusal(
    unfit('Content-Type "text/plain": expected application/json', 415),
    'INVALID_PARAM: the body is of another kind',
  ),
  429: refusal(usualError('RATE_LIMIT_EXCEEDED')),
  500: refusal(usualError('INTERNAL')),
  503: refusal(usualError('UNAVAILABLE')),
  504: refusal(usualError('GATEWAY_TIMEOUT')),
})

const description =
  'A field for every route that reads, with its parameters as arguments; introspection describes all of it. ' +
  `Limits: tokens ${grouped(LIMITS.tokens)}, aliases ${LIMITS.aliases}, depth ${LIMITS.depth}, ` +
  `cost ${grouped(LIMITS.cost)} by the limits of lists, ` +
  `values of introspection ${grouped(LIMITS.introspectedValues)} in ${LIMITS.introspectedBytes / 1e6} MB, 10 s, 64 KiB. ` +
  'A browser gets a playground.'

export function graphqlPaths(examples: Examples) {
  const responses = responsesWith(examples.answer({ operationId: GRAPHQL_OPERATION, answer }))
  return {
    '/graphql': {
      get: {
        operationId: 'queryGraphqlByUrl',
        summary: 'GraphQL, the query in the URL',
        description,
        tags: ['graphql'],
        parameters: [
          {
            name: 'query',
            in: 'query',
            required: true,
            schema: { type: 'string' },
            example: GRAPHQL_EXAMPLE.query,
          },
          {
            name: 'variables',
            in: 'query',
            schema: { type: 'string' },
            description: 'JSON',
            example: JSON.stringify(GRAPHQL_EXAMPLE.variables),
          },
          {
            name: 'operationName',
            in: 'query',
            schema: { type: 'string' },
            example: GRAPHQL_EXAMPLE.operationName,
          },
        ],
        responses,
      },
      post: {
        operationId: GRAPHQL_OPERATION,
        summary: 'GraphQL',
        description,
        tags: ['graphql'],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/GraphqlQuery' },
              example: GRAPHQL_EXAMPLE,
            },
          },
        },
        responses,
      },
    },
  }
}
