/**
 * Creates a webhook of what an operator gave, the same for /admin/v1 and the command line: every field is checked, and a
 * secret is made where none was given.
 */
import type { PrivatePolicy } from '../../domain/webhook-target.ts'
import {
  expectPublic,
  readTarget,
  TargetRefused,
  URL_LENGTH_MAX,
} from '../../streams/outgoing/target.ts'
import type { EventChannel } from '../feed/filter.ts'
import { FilterError } from '../feed/filter.ts'
import type { Int64Form } from '../feed/frame.ts'
import { makeSecret, openSecretBox, readSecret, SECRET_EXPECTED } from './secret.ts'
import type { NewWebhook } from './store.ts'
import { filterOf } from './webhook.ts'

/** Settings of webhooks: WEBHOOK_SECRET_KEY and WEBHOOK_PRIVATE_ADDRESSES. */
export type WebhookSettings = { secretKey: string; policy: PrivatePolicy }

type Registration = {
  url: string
  channel: EventChannel
  filter?: unknown
  secret?: string | undefined
  int64: Int64Form
  eventsMax: number
}

/** A field that cannot be used; the text names it. */
export class RegistrationRefused extends Error {
  override name = 'RegistrationRefused'
}

type Registered = { webhook: Omit<NewWebhook, 'epoch' | 'sequence'>; secret: Buffer }

/** Throws RegistrationRefused. */
export async function register(
  { url, channel, filter = {}, secret: given, int64, eventsMax }: Registration,
  { secretKey, policy }: WebhookSettings,
): Promise<Registered> {
  if (url.length > URL_LENGTH_MAX) {
    throw new RegistrationRefused(`url: expected at most ${URL_LENGTH_MAX} characters`)
  }
  const secret = given === undefined ? makeSecret() : readSecret(given)
  if (secret === undefined) throw new RegistrationRefused(`secret: expected ${SECRET_EXPECTED}`)
  try {
    filterOf(filter, channel)
    const target = readTarget(url, policy)
    await expectPublic(target, policy)
    const sealedSecret = openSecretBox(secretKey).seal(secret)
    const webhook = { url: target.href, channel, filter, int64, eventsMax, sealedSecret }
    return { webhook, secret }
  } catch (cause) {
    if (cause instanceof FilterError) {
      throw new RegistrationRefused(`filter: ${cause.message}`, { cause })
    }
    if (!(cause instanceof TargetRefused)) throw cause
    throw new RegistrationRefused(`url "${url}": ${cause.message}`, { cause })
  }
}
