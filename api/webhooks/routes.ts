/**
 * /admin/v1/webhooks: endpoints that events of the feed are sent to, for operators. A secret is in the answer that makes
 * it and in no other. Every change is written to the audit.
 *
 * Decision: docs/decisions/0053-webhooks-are-stored-before-they-are-sent.md
 */
import Type from 'typebox'
import type { VenueNaming } from '../../domain/venue.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { BY, changing, common } from '../admin/operator-route.ts'
import { ApiError } from '../routing/error.ts'
import { type Route, route } from '../routing/route.ts'
import { presentWebhook } from './present.ts'
import { RegistrationRefused, register, type WebhookSettings } from './registration.ts'
import * as schema from './schema.ts'
import { makeSecret, openSecretBox, secretText } from './secret.ts'
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  listWebhooks,
  NOT_BEGUN,
  rotateSecret,
  WebhooksFull,
} from './store.ts'

const PATH = '/admin/v1/webhooks'
const OF_ONE = `${PATH}/{id}` as const
const example = { id: 1 }

/** `settings` absent: webhooks are listed and changed, but no secret can be made. */
export function webhookRoutes(
  settings: WebhookSettings | undefined,
  naming: VenueNaming | undefined,
): Route[] {
  const shown = async (db: Queryable, id: number) => {
    const row = await findWebhook(db, id)
    if (row === undefined) throw unknown(id)
    return { success: true as const, data: presentWebhook(row, naming) }
  }
  const changed =
    (change: 'paused' | 'resumed') =>
    async ({ id }: { id: number }, db: Queryable) => {
      if (!(await changeWebhook(db, change, id, BY))) throw unknown(id)
      return await shown(db, id)
    }
  return [
    route({
      ...common,
      path: PATH,
      operationId: 'listWebhooks',
      summary: 'Webhooks with their state, by id',
      parameters: Type.Object({}),
      answer: schema.webhookList,
      example: {},
      async read(_, db) {
        const rows = await listWebhooks(db, [null])
        return { success: true as const, data: rows.map((row) => presentWebhook(row, naming)) }
      },
    }),
    creation(settings, shown),
    route({
      ...changing,
      path: `${OF_ONE}/pause`,
      operationId: 'pauseWebhook',
      summary: 'Pauses a webhook: nothing is sent, and nothing is lost',
      description:
        'Events of the meantime wait in the feed for as long as that holds them; after that the endpoint gets a gap.',
      parameters: schema.ofWebhook,
      answer: schema.webhook,
      example,
      read: changed('paused'),
    }),
    route({
      ...changing,
      path: `${OF_ONE}/resume`,
      operationId: 'resumeWebhook',
      summary: 'Resumes a webhook where it stopped',
      parameters: schema.ofWebhook,
      answer: schema.webhook,
      example,
      read: changed('resumed'),
    }),
    rotation(settings),
    route({
      ...common,
      errors: [...common.errors, 'NOT_FOUND'],
      path: OF_ONE,
      operationId: 'getWebhook',
      summary: 'A webhook with its state',
      parameters: schema.ofWebhook,
      answer: schema.webhook,
      example,
      read: ({ id }, db) => shown(db, id),
    }),
    deletion(),
  ]
}

type Shown = (
  db: Queryable,
  id: number,
) => Promise<Record<'data', ReturnType<typeof presentWebhook>> & { success: true }>

function creation(settings: WebhookSettings | undefined, shown: Shown): Route {
  return route({
    ...changing,
    errors: [...common.errors, 'FORBIDDEN', 'MISSING_PARAM'],
    path: PATH,
    operationId: 'createWebhook',
    summary: 'Creates a webhook: it begins with the next event',
    description:
      'Deliveries are signed by Standard Webhooks. The response is the only place that shows the secret.',
    parameters: Type.Object({}),
    body: schema.newWebhook,
    answer: schema.createdWebhook,
    example: ({ mint }) => ({
      url: 'https://example.com/swaps',
      channel: 'swaps',
      filter: { tokens: [mint] },
      int64: 'string',
      events_max: 100,
    }),
    async respond({ events_max: eventsMax, ...fields }, { reader, signal, feedPosition }) {
      const { epoch, sequence } = feedPosition?.() ?? NOT_BEGUN
      const registration = { ...fields, eventsMax }
      const made = await register(registration, usable(settings)).catch(refuse)
      const webhook = { ...made.webhook, epoch, sequence }
      const answer = await reader.run(signal, async (db) => {
        const id = await createWebhook(db, webhook, BY).catch(refuse)
        return await shown(db, id)
      })
      return {
        success: true as const,
        data: { ...answer.data, secret: secretText(made.secret) },
      }
    },
  })
}

function rotation(settings: WebhookSettings | undefined): Route {
  return route({
    ...changing,
    path: `${OF_ONE}/rotate`,
    operationId: 'rotateWebhookSecret',
    summary: 'A new secret of a webhook; for a day deliveries are signed with both',
    parameters: schema.ofWebhook,
    answer: schema.rotatedWebhook,
    example,
    async read({ id }, db) {
      const secret = makeSecret()
      const sealed = openSecretBox(usable(settings).secretKey).seal(secret)
      const until = await rotateSecret(db, id, sealed, BY)
      if (until === undefined) throw unknown(id)
      return {
        success: true as const,
        data: { id, secret: secretText(secret), old_secret_until: until.toISOString() },
      }
    },
  })
}

function deletion(): Route {
  return route({
    ...changing,
    method: 'delete',
    path: OF_ONE,
    operationId: 'deleteWebhook',
    summary: 'Deletes a webhook with the deliveries that wait',
    parameters: schema.ofWebhook,
    answer: schema.deletedWebhook,
    example,
    async read({ id }, db) {
      if (!(await changeWebhook(db, 'deleted', id, BY))) throw unknown(id)
      return { success: true as const, data: { id, deleted: true as const } }
    },
  })
}

function usable(settings: WebhookSettings | undefined): WebhookSettings {
  if (settings !== undefined) return settings
  throw new ApiError('UNAVAILABLE', 'webhooks need a key of their secrets: set WEBHOOK_SECRET_KEY')
}

function refuse(error: unknown): never {
  if (!(error instanceof RegistrationRefused || error instanceof WebhooksFull)) throw error
  throw new ApiError('INVALID_PARAM', error.message, { cause: error })
}

function unknown(id: number): ApiError {
  return new ApiError('NOT_FOUND', `webhook "${id}" not found`)
}
