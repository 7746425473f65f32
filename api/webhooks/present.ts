/** Rows of webhooks as /admin/v1 and the command line show them. Pure; a row holds no secret. */
import type { VenueNaming } from '../../domain/venue.ts'
import { writeCursor } from '../../streams/feed/feed-cursor.ts'
import { presentFilter } from '../feed/filter.ts'
import { NOT_BEGUN, selectionOf, type WebhookRow } from './store.ts'

const textOf = (at: Date | null): string | null => at?.toISOString() ?? null

export function presentWebhook(row: WebhookRow, naming: VenueNaming = 'ids') {
  const { epoch, sequence, paused_at, attempts, waiting } = row
  const isWaiting = paused_at === null && waiting > 0
  const failing = attempts > 0 ? 'failing' : 'active'
  const state: 'active' | 'failing' | 'paused' = paused_at === null ? failing : 'paused'
  return {
    id: row.id,
    url: row.url,
    channel: row.channel,
    filter: presentFilter(selectionOf(row).filter, naming) as unknown,
    int64: row.int64,
    events_max: row.events_max,
    state,
    pause_reason: row.pause_reason,
    paused_at: textOf(paused_at),
    cursor: epoch === NOT_BEGUN.epoch ? null : writeCursor({ epoch, sequence, eventCount: 0 }),
    waiting,
    delivered: row.delivered,
    last_delivery_id: row.last_delivery_id,
    last_delivered_at: textOf(row.last_delivered_at),
    attempts,
    failing_since: textOf(row.failing_since),
    next_attempt_at: isWaiting ? row.next_attempt_at.toISOString() : null,
    last_error: row.last_error,
    last_error_at: textOf(row.last_error_at),
    old_secret_until: textOf(row.old_secret_until),
    created_at: row.created_at.toISOString(),
  }
}
