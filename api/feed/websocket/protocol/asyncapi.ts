/**
 * The AsyncAPI 3 document of the WebSocket feed, generated from the schemas of its frames. Pure.
 */
import type { VenueNaming } from '../../../../domain/venue.ts'
import { FEED_EXAMPLES } from '../../../examples/feed-values.ts'
import { withoutId } from '../../../routing/schema.ts'
import { namedSchema } from '../../../routing/venue-naming.ts'
import { CLOSES } from './close.ts'
import { DOCUMENTED_REQUESTS, FRAMES } from './schema.ts'

const CLOSE_TEXTS = Object.values(CLOSES).map(({ code, reason }) => `${code}: ${reason}`)

const DESCRIPTION = [
  'Text frames of JSON. Items of a subscription are each sent once, in order; n counts them, so that a',
  'frame begins where the one before ended. All up to the cursor of a frame is done: subscribe again',
  'from the newest cursor after a disconnection. The key is given at the upgrade: X-API-Key,',
  'Authorization: Bearer or api_key.',
  `Closes: ${CLOSE_TEXTS.join('; ')}. Every close by the server follows an error frame that is fatal or a goodbye.`,
].join(' ')

export function asyncApiDocument(naming: VenueNaming = 'ids'): Record<string, unknown> {
  const requests = Object.entries(DOCUMENTED_REQUESTS)
  const frames = Object.entries(FRAMES)
  const references = (names: readonly string[]) =>
    names.map((name) => ({ $ref: `#/channels/feed/messages/${name}` }))
  return {
    asyncapi: '3.0.0',
    info: { title: 'Swaptide feed', version: '1.0.0', description: DESCRIPTION },
    defaultContentType: 'application/json',
    channels: {
      feed: {
        address: '/ws/v1',
        messages: Object.fromEntries(
          [...requests, ...frames].map(([name]) => [
            name,
            { $ref: `#/components/messages/${name}` },
          ]),
        ),
        bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
      },
    },
    operations: {
      request: {
        action: 'receive',
        summary: 'What a client sends',
        channel: { $ref: '#/channels/feed' },
        messages: references(requests.map(([name]) => name)),
      },
      answer: {
        action: 'send',
        summary: 'What the server sends',
        channel: { $ref: '#/channels/feed' },
        messages: references(frames.map(([name]) => name)),
      },
    },
    components: {
      messages: Object.fromEntries(
        [...requests, ...frames].map(([name, schema]) => [
          name,
          {
            name,
            payload: withoutId(namedSchema(schema, naming)),
            ...(FEED_EXAMPLES[name] && { examples: FEED_EXAMPLES[name] }),
          },
        ]),
      ),
      securitySchemes: {
        header: { type: 'httpApiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
        query: { type: 'httpApiKey', in: 'query', name: 'api_key' },
      },
    },
  }
}
