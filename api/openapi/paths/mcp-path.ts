/** OpenAPI path of /mcp: how a message is sent. Its tools are listed by the protocol itself. Pure. */
import Type from 'typebox'
import { ApiError } from '../../routing/error.ts'
import { LIMIT_HEADERS, refusalIn } from '../document-parts.ts'
import { usualError } from '../error-of.ts'

const id = { type: ['string', 'integer', 'null'] }
const request = Type.Unsafe({
  type: 'object',
  title: 'McpMessage',
  required: ['jsonrpc', 'method'],
  properties: {
    jsonrpc: { type: 'string', const: '2.0' },
    id,
    method: { type: 'string' },
    params: { type: 'object', additionalProperties: true },
  },
})
const answer = Type.Unsafe({
  type: 'object',
  title: 'McpAnswer',
  required: ['jsonrpc', 'id'],
  properties: {
    jsonrpc: { type: 'string', const: '2.0' },
    id,
    result: { type: 'object', additionalProperties: true },
    error: { type: 'object', additionalProperties: true },
  },
})
/** The named schemas of this path. */
export const MCP_SCHEMAS = [request, answer]

const requestExample = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_trending_tokens', arguments: { window: '24h', limit: 3 } },
}
const responseExample = {
  jsonrpc: '2.0',
  id: 1,
  result: { content: [{ type: 'text', text: '{"answer":{...},"as_of":{...},"swaps":"/swaps"}' }] },
}

const refusal = (error: ApiError, description?: string) =>
  refusalIn({
    ...{ error, family: 'mcp', hasLimit: true },
    ...(description === undefined ? {} : { description }),
  })

export const MCP_PATHS = {
  '/mcp': {
    post: {
      operationId: 'callMcp',
      summary: 'Model Context Protocol: the reads as tools of a language model',
      description:
        'Streamable HTTP without sessions: one message, one answer as JSON. Each message counts 1 against the limits. A ' +
        'refusal of a tool is a result with isError. A batch (a list of messages, before version 2025-06-18 of the protocol) ' +
        'is answered by a list.',
      tags: ['service'],
      parameters: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/McpMessage' },
            example: requestExample,
          },
        },
      },
      responses: {
        200: {
          description: 'The answer',
          headers: LIMIT_HEADERS,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/McpAnswer' },
              example: responseExample,
            },
          },
        },
        202: { description: 'A notification, which has no answer', headers: LIMIT_HEADERS },
        400: refusal(
          new ApiError('INVALID_PARAM', 'the body: expected JSON', { cause: new SyntaxError() }),
          'No message: an error of JSON-RPC, -32700 where the body is no JSON and -32600 where it is no message',
        ),
        401: refusal(usualError('UNAUTHORIZED')),
        403: refusalIn({
          error: new ApiError(
            'FORBIDDEN',
            'pages of this origin may not use /mcp: see MCP_ORIGINS',
          ),
          ...{ family: 'mcp', hasLimit: false },
          description: 'FORBIDDEN: a page of another origin sent the request',
        }),
        415: refusal(
          new ApiError('INVALID_PARAM', 'Content-Type "text/plain": expected application/json', {
            status: 415,
          }),
          'The body is of another kind',
        ),
        429: refusal(usualError('RATE_LIMIT_EXCEEDED')),
        500: refusal(usualError('INTERNAL')),
        503: refusal(usualError('UNAVAILABLE')),
        504: refusal(usualError('GATEWAY_TIMEOUT')),
      },
    },
  },
}
