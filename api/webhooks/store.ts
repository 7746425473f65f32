/** Webhooks in the tables: rows, and the operators' changes to them, each with its line in the audit. */
import type { Int64 } from '../../domain/amount.ts'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { addToAudit } from '../admin/audit.ts'
import type { EventChannel } from '../feed/filter.ts'
import type { Int64Form } from '../feed/frame.ts'
import { filterOf, type Selection } from './webhook.ts'

export type WebhookRow = {
  id: number
  url: string
  channel: EventChannel
  /** JSON of the filter, as parseFilter reads it. */
  filter: string
  int64: Int64Form
  events_max: number
  epoch: string
  sequence: number
  slot: number
  stored: Int64
  delivered: Int64
  waiting: number
  created_at: Date
  paused_at: Date | null
  pause_reason: string | null
  attempts: number
  failing_since: Date | null
  next_attempt_at: Date
  last_error: string | null
  last_error_at: Date | null
  last_delivery_id: string | null
  last_delivered_at: Date | null
  old_secret_until: Date | null
}

/** Position of an endpoint that was created by a process without FEED: the reader begins at the end of FEED. */
export const NOT_BEGUN = { epoch: '', sequence: 0 }

export type NewWebhook = Omit<Selection, 'filter'> & {
  /** The filter as it was given; it can be parsed. */
  filter: unknown
  url: string
  sealedSecret: Buffer
  /** Deliveries begin after this message. */
  epoch: string
  sequence: number
}

/** Each is an endpoint that every message is matched for. */
const WEBHOOKS_MAX = 1_000
/** Milliseconds for which the old secret signs as well. */
const GRACE_MS = DAY_MS

export const listWebhooks = query<WebhookRow>('webhooks/list_webhooks')
const insertWebhook = query<{ id: number }>('webhooks/insert_webhook')
const pauseRow = query<{ id: number }>('webhooks/pause_webhook')
const pauseActive = query<{ id: number }>('webhooks/pause_active')
const resumeRow = query<{ id: number }>('webhooks/resume_webhook')
const rotateRow = query<{ old_secret_until: Date }>('webhooks/rotate_secret')
const deleteRow = query<{ id: number }>('webhooks/delete_webhook')

export class WebhooksFull extends Error {
  override name = 'WebhooksFull'
}

/** Columns that select the events of an endpoint. */
export type SelectionRow = Pick<WebhookRow, 'channel' | 'filter' | 'int64' | 'events_max'>

export function selectionOf(row: SelectionRow): Selection {
  const { channel, int64, events_max: eventsMax } = row
  return { channel, int64, eventsMax, filter: filterOf(JSON.parse(row.filter), channel).filter }
}

export async function findWebhook(db: Queryable, id: number): Promise<WebhookRow | undefined> {
  return (await listWebhooks(db, [id]))[0]
}

/** Returns the id of the webhook. Throws WebhooksFull. */
export async function createWebhook(db: Queryable, made: NewWebhook, by: string): Promise<number> {
  const { url, channel, filter, int64, eventsMax, sealedSecret, epoch, sequence } = made
  const text = JSON.stringify(filter ?? {})
  const fields = [url, channel, text, int64, eventsMax, sealedSecret, epoch, sequence]
  const [row] = await insertWebhook(db, [...fields, WEBHOOKS_MAX])
  if (row === undefined) throw new WebhooksFull(`there are ${WEBHOOKS_MAX} webhooks: delete one`)
  await addToAudit(db, 'webhook_created', [nameOf(row.id)], by)
  return row.id
}

const nameOf = (id: number): string => `webhook ${id}`

const PAUSED_BY_OPERATOR = 'an operator paused it'

type Change = 'paused' | 'resumed' | 'deleted'
const CHANGES: Record<Change, (db: Queryable, id: number) => Promise<{ id: number }[]>> = {
  paused: (db, id) => pauseRow(db, [id, PAUSED_BY_OPERATOR]),
  resumed: (db, id) => resumeRow(db, [id]),
  deleted: (db, id) => deleteRow(db, [id]),
}

/** Whether there is one of this id. */
export async function changeWebhook(
  db: Queryable,
  change: Change,
  id: number,
  by: string,
): Promise<boolean> {
  const rows = await CHANGES[change](db, id)
  if (rows.length > 0) await addToAudit(db, `webhook_${change}`, [nameOf(id)], by)
  return rows.length > 0
}

/** Pauses all that are active. Result: how many. */
export async function pauseWebhooks(
  db: Queryable,
  by: string,
  reason = PAUSED_BY_OPERATOR,
): Promise<number> {
  const rows = await pauseActive(db, [reason])
  const names = rows.map(({ id }) => nameOf(id))
  if (names.length > 0) await addToAudit(db, 'webhook_paused', names, by)
  return names.length
}

/** Until when the old secret signs as well; undefined: there is none of this id. */
export async function rotateSecret(
  db: Queryable,
  id: number,
  sealedSecret: Buffer,
  by: string,
): Promise<Date | undefined> {
  const [row] = await rotateRow(db, [id, sealedSecret, GRACE_MS])
  if (row !== undefined) await addToAudit(db, 'webhook_rotated', [nameOf(id)], by)
  return row?.old_secret_until
}
