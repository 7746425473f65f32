/**
 * Schemas of the frames of the WebSocket feed, both directions: the same schema validates a client's frames, serializes
 * events and is published in /asyncapi.json. An event has the streaming shape: `swap_type` for `is_buy`, the venue's
 * name for `dex`, the full `price_impact_bps`.
 */

import Type, { type Static, type TSchema } from 'typebox'
import { DEX_MAX, DEX_MIN, VENUE_TEXTS } from '../../../../domain/venue.ts'
import { TAGS } from '../../../../domain/wallet/wallet-tag.ts'
import { CURSOR_LENGTH_MAX } from '../../../../streams/feed/feed-cursor.ts'
import { poolEvent } from '../../../resources/pool-events/schema.ts'
import { swap } from '../../../resources/swaps/schema.ts'
import {
  accountAddress,
  int64,
  nullable,
  venueName,
  withTextIntegers,
} from '../../../routing/schema.ts'
import { FEED_CODES } from '../../feed-error.ts'
import { EVENT_CHANNELS } from '../../filter.ts'
import { SUB_LENGTH_MAX } from '../../frame.ts'
import { LATEST_CHANNELS, LATEST_FILTERS, LATEST_SHAPES } from '../../latest/schema.ts'

export const CHANNELS = [...EVENT_CHANNELS, ...LATEST_CHANNELS] as const

const ECHOED_LENGTH_MAX = 64
const BATCH_MS_MAX = 1_000
const VALUES_MAX = 1_000

/** For documentation, as its filter. */
const venueText = Type.Union(
  [Type.Integer({ minimum: DEX_MIN, maximum: DEX_MAX }), Type.Enum([...VENUE_TEXTS])],
  {
    description: 'Venue: its DexId, its name, or the name of its program',
  },
)

const { is_buy: _side, dex: _swapDex, price_impact_bps: _impact, ...swapFields } = swap.properties
const leftBlock = Type.Optional(
  nullable(
    Type.String({ description: 'With retract: the block that left the chain; null: not known' }),
  ),
)

export const streamedSwap = Type.Object(
  {
    kind: Type.Enum(['swap', 'retract'], {
      description: 'retract takes back a swap that was sent: its block left the chain',
    }),
    ...swapFields,
    swap_type: Type.Enum(['buy', 'sell'], { description: 'buy: SOL to token; sell: token to SOL' }),
    dex: venueName('Venue by name'),
    price_impact_bps: nullable(
      int64({
        description: 'Executed price against the pool, in full; positive: against the trader',
      }),
    ),
    blockhash: leftBlock,
  },
  { title: 'StreamedSwap' },
)

const { dex: _eventDex, ...poolEventFields } = poolEvent.properties
export const streamedPoolEvent = Type.Object(
  {
    kind: Type.Enum(['pool_event', 'retract'], {
      description: 'retract takes back an event that was sent: its block left the chain',
    }),
    ...poolEventFields,
    dex: venueName('Venue by name'),
    blockhash: leftBlock,
  },
  { title: 'StreamedPoolEvent' },
)

const id = Type.Optional(
  Type.Union(
    [
      Type.String({ maxLength: ECHOED_LENGTH_MAX }),
      // JSON.parse would round any other integer to a neighbour, which would be echoed.
      Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
    ],
    { description: 'Comes back with the answer' },
  ),
)
/** Bounded, because a larger number would be echoed rounded, or as null. */
const echoedTime = Type.Optional(
  Type.Union(
    [
      Type.Number({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
      Type.String({ maxLength: ECHOED_LENGTH_MAX }),
    ],
    { description: 'Comes back with the pong' },
  ),
)
const sub = Type.String({
  minLength: 1,
  maxLength: SUB_LENGTH_MAX,
  pattern: '^[^*]',
  description: "The client's name of the subscription",
})
const cursorText = Type.String({
  maxLength: CURSOR_LENGTH_MAX,
  description:
    'All events up to here are delivered: <epoch>-<sequence>, or with .<events> of the next message, or ' +
    'with ~<commits by lane> that a list held before they were published. To be sent back unchanged',
})
const channel = Type.String({ maxLength: 64, description: `One of ${CHANNELS.join(' ')}` })
const values = (description: string, of: TSchema) =>
  Type.Optional(Type.Array(of, { minItems: 1, maxItems: VALUES_MAX, description }))
const mints = accountAddress({ description: 'Base58 of 32 bytes' })

/** For documentation; filter.ts validates filters, because its errors name the invalid value. */
export const eventFilter = Type.Unsafe<unknown>({
  type: 'object',
  title: 'EventFilter',
  description:
    'swaps, pool_events: OR within a field, AND across fields; absent: everything, while an empty list is refused',
  properties: {
    tokens: values('Mints', mints),
    pools: values('Pair accounts', mints),
    wallets: values('Traders', mints),
    venues: values('Venues', venueText),
    wallet_tags: values(
      'Tags of the trader when the swap was published; Pro and Enterprise',
      Type.Enum([...TAGS]),
    ),
    swap_type: Type.Optional(Type.Enum(['buy', 'sell'])),
    min_sol: Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.String()])),
  },
})
const givenFilter = Type.Union([eventFilter, ...LATEST_FILTERS], {
  description: 'By channel; candles, token_stats and rankings need one',
})
const filter = Type.Optional(givenFilter)
const anyFilter = Type.Optional(Type.Unsafe<unknown>({}))
const slotNumber = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })
const from = Type.Optional(
  Type.Union(
    [
      Type.Literal('live'),
      Type.Object({
        cursor: Type.String(),
        slot: Type.Optional(
          slotNumber(
            'Where to begin when the stream no longer holds the cursor: events of before it may repeat. A cursor ' +
              'of another stream is refused all the same',
          ),
        ),
      }),
      Type.Object(
        {
          slot: slotNumber(
            'Start slot: the stored events from it on, slot by slot, then live events, whatever their ' +
              'slot. A slot that is newer than all stored events yields only live events',
          ),
        },
        // Refuses a cursor that is not a string, instead of ignoring it.
        { not: { required: ['cursor'] } },
      ),
    ],
    {
      default: 'live',
      description: 'Where to begin; live: with the next event. Latest values begin with a snapshot',
    },
  ),
)

const subscribeFields = {
  op: Type.Literal('subscribe'),
  id,
  sub,
  channel,
  from,
  batch_ms: Type.Optional(
    Type.Integer({ minimum: 0, maximum: BATCH_MS_MAX, description: 'Milliseconds to batch' }),
  ),
  int64: Type.Optional(Type.Enum(['number', 'string'], { default: 'number' })),
}
const updateFields = { op: Type.Literal('update'), id, sub }

/** Requests of the client. */
export const REQUESTS = {
  subscribe: Type.Object({ ...subscribeFields, filter: anyFilter }),
  // Required, unlike in a subscription: a forgotten filter would let everything through.
  update: Type.Object({ ...updateFields, filter: Type.Unsafe<unknown>({}) }),
  unsubscribe: Type.Object({
    op: Type.Literal('unsubscribe'),
    id,
    sub: Type.Union([sub, Type.Literal('*')]),
  }),
  list: Type.Object({ op: Type.Literal('list'), id }),
  ping: Type.Object({
    op: Type.Literal('ping'),
    id,
    t: echoedTime,
  }),
}
export type Op = keyof typeof REQUESTS

const NAME_EXPECTED = `a text of 1 to ${SUB_LENGTH_MAX} characters that does not begin with "*"`
/** Text of an error by field: the expected value. */
export const EXPECTED: Readonly<Record<string, string>> = {
  id: `a text of at most ${ECHOED_LENGTH_MAX} characters, or an integer of at most 2^53 - 1`,
  sub: NAME_EXPECTED,
  channel: `one of ${CHANNELS.join(' ')}`,
  filter: 'an object, {} for everything',
  from: `"live", {"cursor": text}, {"slot": 0 to ${Number.MAX_SAFE_INTEGER}}, or both of these in one`,
  batch_ms: `an integer of 0 to ${BATCH_MS_MAX}`,
  int64: '"number" or "string"',
  t: `a number of at most 2^53 - 1, or a text of at most ${ECHOED_LENGTH_MAX} characters`,
}
export type Request = { [Name in Op]: Static<(typeof REQUESTS)[Name]> }[Op]

/** The requests for the document, with the schemas of filters that filter.ts validates. */
export const DOCUMENTED_REQUESTS: Readonly<Record<Op, TSchema>> = {
  ...REQUESTS,
  subscribe: Type.Object({ ...subscribeFields, filter }),
  update: Type.Object({ ...updateFields, filter: givenFilter }),
}

const sequence = (description: string) => Type.Integer({ minimum: 0, description })
const n = Type.Integer({
  minimum: 0,
  description: 'Items of the subscription before this frame: a gap shows here',
})
const names = (description: string) => Type.Array(Type.String(), { description })
const acknowledged = {
  id,
  sub: Type.String(),
  channel: Type.Enum([...CHANNELS]),
  filter,
  cursor: nullable(cursorText),
  mode: Type.Enum(['live', 'replay']),
  tier_locked_filters: names('Fields of the filter that the tier lacks: dropped'),
  ignored_filters: names('Fields of the filter that the channel does not have: ignored'),
}

const latest = Type.Union([...LATEST_SHAPES, ...LATEST_SHAPES.map(withTextIntegers)])

/** Frames of the server. */
export const FRAMES = {
  welcome: Type.Object({
    type: Type.Literal('welcome'),
    proto: Type.Literal(1),
    conn: Type.String({ description: 'Names the connection in the log' }),
    tier: Type.Enum(['free', 'developer', 'pro', 'enterprise']),
    server_time: Type.Integer({ description: 'Unix ms' }),
    epoch: Type.String({ description: 'Epoch of the stream' }),
    first: sequence('Oldest sequence that can be resumed from the stream'),
    head: sequence('Newest sequence'),
    heartbeat_ms: Type.Integer(),
    limits: Type.Object({
      subscriptions: Type.Integer({ description: 'Subscriptions of a connection, at most' }),
      connections: nullable(
        Type.Integer({ description: 'Connections of a key, at most; null: unlimited' }),
      ),
      frame_bytes: Type.Integer({
        description: "Bytes of a client's frame and of a data frame, at most",
      }),
      frame_items: Type.Integer({ description: 'Items of a data frame, at most' }),
      filter_values: Type.Integer(),
      requests_per_second: Type.Integer({ description: 'Sustained; five seconds of it at once' }),
    }),
  }),
  subscribed: Type.Object({ type: Type.Literal('subscribed'), ...acknowledged }),
  updated: Type.Object({ type: Type.Literal('updated'), ...acknowledged }),
  data: Type.Object({
    type: Type.Literal('data'),
    sub: Type.String(),
    channel: Type.Enum([...CHANNELS]),
    n,
    cursor: nullable(cursorText),
    replay: Type.Optional(Type.Literal(true)),
    data: Type.Array(
      Type.Union([
        streamedSwap,
        withTextIntegers(streamedSwap),
        streamedPoolEvent,
        withTextIntegers(streamedPoolEvent),
        ...LATEST_SHAPES,
        ...LATEST_SHAPES.map(withTextIntegers),
      ]),
      { maxItems: 250 },
    ),
  }),
  snapshot: Type.Object({
    type: Type.Literal('snapshot'),
    sub: Type.String(),
    channel: Type.Enum([...LATEST_CHANNELS]),
    cursor: nullable(cursorText),
    data: Type.Array(latest, { maxItems: 250 }),
    final: Type.Boolean({ description: 'Each value that is known has come: changes follow' }),
  }),
  gap: Type.Object({
    type: Type.Literal('gap'),
    sub: Type.String(),
    cursor: nullable(cursorText),
    from: Type.String({ description: 'Cursor before the lost events, at the earliest' }),
    to: Type.String({
      description: 'Cursor of the lost message, the last where there are several',
    }),
    slots: Type.Array(Type.Integer({ minimum: 0 }), {
      minItems: 2,
      maxItems: 2,
      description: 'First and last slot of which events are lost',
    }),
    filled: Type.Boolean({
      description:
        'Data frames with the events that the stream lost follow, out of the tables, then caught_up. False: the ' +
        'tables could not be read, list these slots by REST',
    }),
  }),
  caught_up: Type.Object({
    type: Type.Literal('caught_up'),
    sub: Type.String(),
    cursor: nullable(cursorText),
  }),
  heartbeat: Type.Object({
    type: Type.Literal('heartbeat'),
    t: Type.Integer({ description: 'Unix ms' }),
    head: sequence('Newest sequence'),
    subs: Type.Record(Type.String(), Type.Object({ n, cursor: nullable(cursorText) })),
  }),
  error: Type.Object({
    type: Type.Enum(['error', 'warning']),
    id,
    code: Type.Enum([...FEED_CODES]),
    sub: Type.Optional(Type.String()),
    message: Type.String({ description: 'For people; no stable format' }),
    fatal: Type.Boolean({ description: 'The connection is closed after it' }),
    retry_after_ms: Type.Optional(Type.Integer()),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  unsubscribed: Type.Object({
    type: Type.Literal('unsubscribed'),
    id,
    sub: Type.String(),
    cursors: Type.Record(Type.String(), nullable(cursorText)),
  }),
  subscriptions: Type.Object({
    type: Type.Literal('subscriptions'),
    id,
    subs: Type.Array(
      Type.Object({
        sub: Type.String(),
        channel: Type.Enum([...CHANNELS]),
        filter,
        n,
        cursor: nullable(cursorText),
        mode: Type.Enum(['live', 'replay']),
      }),
    ),
    final: Type.Boolean({ description: 'The last of the frames that answer' }),
  }),
  pong: Type.Object({
    type: Type.Literal('pong'),
    id,
    t: echoedTime,
    server_time: Type.Integer({ description: 'Unix ms' }),
  }),
  goodbye: Type.Object({
    type: Type.Literal('goodbye'),
    code: Type.Integer({ description: 'Code of the close frame that follows' }),
    reason: Type.String(),
    reconnect_after_ms: nullable(
      Type.Integer({ description: 'null: do not come back as you are' }),
    ),
    cursors: Type.Record(Type.String(), nullable(cursorText)),
  }),
} satisfies Readonly<Record<string, TSchema>>
