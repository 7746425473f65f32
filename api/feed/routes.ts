/** The document of the feeds. They themselves are at `/ws/v1` (socket.ts) and on gRPC. */
import Type from 'typebox'
import { type Route, route } from '../route.ts'
import { asyncApiDocument } from './asyncapi.ts'

export const feedRoutes: readonly Route[] = [
  route({
    path: '/asyncapi.json',
    access: 'public',
    family: 'enveloped',
    summary: 'The WebSocket feed at /ws/v1, as AsyncAPI 3',
    parameters: Type.Object({}),
    answer: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      examples: [{ asyncapi: '3.0.0', info: { title: 'Swaptide feed', version: '1.0.0' } }],
    }),
    errors: [],
    example: {},
    respond: async () => asyncApiDocument(),
  }),
]
