/** Bodies and answers of /admin/v1/webhooks. */
import Type from 'typebox'
import { EVENT_CHANNELS } from '../feed/filter.ts'
import { eventFilter } from '../feed/websocket/protocol/schema.ts'
import { EVENT_FILTER } from '../routing/body.ts'
import { count, nullable } from '../routing/schema.ts'
import { SECRET_EXPECTED } from './secret.ts'
import { EVENTS_DEFAULT, EVENTS_MAX } from './webhook.ts'

const enveloped = <T extends Type.TSchema>(shape: T) =>
  Type.Object({ success: Type.Literal(true), data: shape })
const time = (description: string) => Type.String({ format: 'date-time', description })

const id = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Id of a webhook' })
const channel = Type.Enum([...EVENT_CHANNELS], {
  default: 'swaps',
  description: 'Events to send: swaps or pool events',
})
const filter = Type.Unsafe<unknown>({ ...eventFilter, format: EVENT_FILTER })
const int64 = Type.Enum(['number', 'string'], {
  default: 'number',
  description: 'How integers that a double may round are written',
})
const eventsMax = Type.Integer({
  minimum: 1,
  maximum: EVENTS_MAX,
  default: EVENTS_DEFAULT,
  description: 'Events of a delivery at most; 1: each event is a delivery',
})

export const ofWebhook = Type.Object({ id })
export const newWebhook = Type.Object(
  {
    url: Type.String({
      description: 'Where deliveries are sent: HTTPS on a public address, unless allowed otherwise',
    }),
    channel,
    filter: Type.Optional(filter),
    secret: Type.Optional(
      Type.String({
        description: `Key of the signatures: ${SECRET_EXPECTED}; absent: one is made`,
      }),
    ),
    int64,
    events_max: eventsMax,
  },
  { title: 'NewWebhook' },
)

const fields = {
  id,
  url: Type.String({ description: 'Where deliveries are sent' }),
  channel,
  filter,
  int64,
  events_max: eventsMax,
  state: Type.Enum(['active', 'failing', 'paused'], {
    description: 'failing: the newest attempt failed, and is repeated; paused: nothing is sent',
  }),
  pause_reason: nullable(Type.String({ description: 'Why it is paused' })),
  paused_at: nullable(time('Since when it is paused')),
  cursor: nullable(
    Type.String({
      description: 'Position in the feed up to which deliveries are stored; null: it has not begun',
    }),
  ),
  waiting: count({ description: 'Deliveries that are stored and not yet accepted' }),
  delivered: count({ description: 'Deliveries that the endpoint accepted' }),
  last_delivery_id: nullable(Type.String({ description: 'webhook-id of the newest accepted one' })),
  last_delivered_at: nullable(time('When that was')),
  attempts: Type.Integer({
    minimum: 0,
    description: 'Failed attempts of the oldest delivery that waits',
  }),
  failing_since: nullable(time('When the first of them was')),
  next_attempt_at: nullable(time('When it is tried again; null: nothing waits, or it is paused')),
  last_error: nullable(Type.String({ description: 'Why the newest failed attempt failed' })),
  last_error_at: nullable(time('When that was')),
  old_secret_until: nullable(time('Until when the secret before the newest signs as well')),
  created_at: time('When it was created'),
}
export const webhook = enveloped(Type.Object(fields, { title: 'Webhook' }))
export const webhookList = enveloped(Type.Array(Type.Object(fields, { title: 'Webhook' })))
const secret = Type.String({ description: 'Key of the signatures, shown only now' })
export const createdWebhook = enveloped(
  Type.Object({ ...fields, secret }, { title: 'CreatedWebhook' }),
)
export const rotatedWebhook = enveloped(
  Type.Object(
    { id, secret, old_secret_until: time('Until when the old secret signs as well') },
    { title: 'RotatedWebhook' },
  ),
)
export const deletedWebhook = enveloped(
  Type.Object({ id, deleted: Type.Literal(true) }, { title: 'DeletedWebhook' }),
)
