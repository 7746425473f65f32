/**
 * The AsyncAPI 3 document of the WebSocket feed, generated from the schemas of its frames. Pure.
 */

import type { TSchema } from 'typebox'
import type { VenueNaming } from '../../../../domain/venue.ts'
import type { ExampleMarket } from '../../../examples/market.ts'
import { type Components, createComponents } from '../../../routing/components.ts'
import { namedSchema } from '../../../routing/venue-naming.ts'
import { CLOSES } from './close.ts'
import { requestExamples } from './request-examples.ts'
import { DOCUMENTED_REQUESTS, FRAMES, type Op } from './schema.ts'

const CLOSE_TEXTS = Object.values(CLOSES).map(({ code, reason }) => `${code}: ${reason}`)

const DESCRIPTION = [
  'Text frames of JSON. Items of a subscription are each sent once, in order; n counts them, so that a',
  'frame begins where the one before ended. All up to the cursor of a frame is done: subscribe again',
  'from the newest cursor after a disconnection. The key is given at the upgrade: X-API-Key,',
  'Authorization: Bearer or api_key.',
  `Closes: ${CLOSE_TEXTS.join('; ')}. Every close by the server follows an error frame that is fatal or a goodbye.`,
].join(' ')

type Name = Op | keyof typeof FRAMES

/** One line on each request and frame. */
const SUMMARIES: Readonly<Record<Name, string>> = {
  subscribe: 'Begins a subscription of a channel',
  update: 'Gives a subscription another filter',
  unsubscribe: 'Ends a subscription, or all of them',
  list: 'Requests the subscriptions of the connection',
  ping: 'Requests a pong',
  welcome: 'First frame of a connection: its limits and the extent of the log',
  subscribed: 'The subscription has begun',
  updated: 'The subscription has its new filter',
  data: 'Events or values of a subscription',
  snapshot: 'The newest value of each key, before changes follow',
  gap: 'The log lost events of these slots',
  caught_up: 'The subscription has delivered the stored events: live events follow',
  heartbeat: 'Cursors of all subscriptions while nothing else is sent',
  error: 'A request was refused, or the connection ends',
  unsubscribed: 'The subscription has ended',
  subscriptions: 'Subscriptions of the connection',
  pong: 'Answers a ping',
  goodbye: 'The server closes the connection after this frame',
}

export function asyncApiDocument(
  market: ExampleMarket,
  naming: VenueNaming = 'ids',
): Record<string, unknown> {
  const requests = Object.entries(DOCUMENTED_REQUESTS)
  const frames = Object.entries(FRAMES)
  const components = createComponents()
  const messages = messagesIn(components, market, naming)
  const references = (names: readonly string[]) =>
    names.map((name) => ({ $ref: `#/channels/feed/messages/${name}` }))
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Swaptide feed',
      version: '1.0.0',
      description: DESCRIPTION,
      contact: { name: 'Operators of this installation' },
      license: { name: 'Apache-2.0' },
      tags: [{ name: 'feed', description: 'The live feed over WebSocket' }],
    },
    servers: {
      own: {
        host: '{host}',
        protocol: 'ws',
        description: 'Where this document comes from; wss where that is served by TLS',
        variables: { host: { description: 'Host and port', default: 'localhost:8080' } },
      },
    },
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
        summary: 'Requests of a client',
        description: 'A request has an id, which comes back with its answer.',
        channel: { $ref: '#/channels/feed' },
        messages: references(requests.map(([name]) => name)),
      },
      answer: {
        action: 'send',
        summary: 'Frames of the server',
        description: 'Answers to requests, and frames of subscriptions.',
        channel: { $ref: '#/channels/feed' },
        messages: references(frames.map(([name]) => name)),
      },
    },
    components: {
      messages,
      schemas: components.schemas(),
      securitySchemes: {
        header: { type: 'httpApiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
        query: { type: 'httpApiKey', in: 'query', name: 'api_key' },
      },
    },
  }
}

function messagesIn(components: Components, market: ExampleMarket, naming: VenueNaming): object {
  const examples: Readonly<Record<string, readonly object[]>> = requestExamples(market)
  const messageOf = (name: string, schema: TSchema, kind: string) =>
    messageIn(components, {
      ...{ name, schema: namedSchema(schema, naming), kind },
      examples: examples[name],
    })
  return Object.fromEntries([
    ...Object.entries(DOCUMENTED_REQUESTS).map(([name, schema]) => [
      name,
      messageOf(name, schema, 'Request'),
    ]),
    ...Object.entries(FRAMES).map(([name, schema]) => [name, messageOf(name, schema, 'Frame')]),
  ])
}

type Message = {
  name: string
  schema: TSchema
  kind: string
  examples: readonly object[] | undefined
}

function messageIn(components: Components, { name, schema, kind, examples }: Message) {
  const title = pascal(name)
  return {
    name,
    title,
    summary: SUMMARIES[name as Name],
    payload: components.refer({ ...schema, title: title + kind } as TSchema),
    ...(examples && { examples }),
  }
}

/** `caught_up` -> `CaughtUp` */
function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
