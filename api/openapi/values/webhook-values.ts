/** Example values by name: webhooks. Pure. */
import { HOUR_MS } from '../../../domain/time/time-bucket.ts'
import * as story from '../../examples/story.ts'
import { secretText } from '../../webhooks/secret.ts'
import { under } from './under.ts'

const isoOf = (ms: number): string => new Date(ms).toISOString()
const UNTIL = isoOf(story.NOW_MS + 24 * HOUR_MS)
/** Signs nothing: all zeros. */
const SECRET = secretText(Buffer.alloc(32))

const WEBHOOK = {
  id: 1,
  url: 'https://example.com/swaps',
  channel: 'swaps',
  filter: { tokens: [story.MINT] },
  int64: 'string',
  events_max: 100,
  state: 'active',
  pause_reason: null,
  paused_at: null,
  cursor: '2026-03-01T00:00:00Z-184470',
  waiting: 0,
  delivered: 1_240,
  last_delivery_id: '2026-03-01T00:00:00Z-184467',
  last_delivered_at: isoOf(story.NOW_MS),
  attempts: 0,
  failing_since: null,
  next_attempt_at: null,
  last_error: 'status 503',
  last_error_at: isoOf(story.SALE_MS),
  old_secret_until: null,
  created_at: isoOf(story.CREATION_MS),
}

export const OF_WEBHOOKS = {
  ...under('Webhook', WEBHOOK),
  ...under('CreatedWebhook', {
    ...WEBHOOK,
    delivered: 0,
    last_delivery_id: null,
    last_delivered_at: null,
    last_error: null,
    last_error_at: null,
    secret: SECRET,
  }),
  ...under('RotatedWebhook', { id: 1, secret: SECRET, old_secret_until: UNTIL }),
  'DeletedWebhook.id': 1,
}
