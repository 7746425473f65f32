/**
 * Reads FEED for all webhooks, and stores the deliveries of each with its new position in one transaction.
 *
 * Invariants: one process reads at a time, under a lock; where two do nevertheless, the compare-and-set of the position
 * lets one of them store. The position of an endpoint that is paused, or has too many waiting deliveries, stays: FEED holds
 * the rest for it, and what FEED trims meanwhile is reported to it as a gap.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../domain/log.ts'
import type { VenueNaming } from '../../../domain/venue.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import type { FeedBatch } from '../../feed/log/batch.ts'
import { Changes } from '../../feed/log/changes.ts'
import type { FeedHub } from '../../feed/log/hub-interface.ts'
import { NOT_BEGUN, type SelectionRow, selectionOf } from '../store.ts'
import { type Delivery, type ReadPosition, type Select, selectorOf, skipOf } from '../webhook.ts'

type ReadDeps = {
  db: Db
  hub: FeedHub
  naming: VenueNaming
  log: Log
  /** Called with an endpoint that has new deliveries and does not pause before a retry. */
  onStored(id: number): void
}

type Row = SelectionRow & ReadPosition & { id: number; attempts: number }

/** Deliveries of an endpoint that may wait in the table; further ones stay in FEED. */
const WAITING_MAX = 10_000
/** Messages and deliveries of one transaction. */
const MESSAGES_MAX = 500
const DELIVERIES_MAX = 1_000
/** Milliseconds: pause between two rounds, longest pause without a message, age of a position that is stored without deliveries. */
const ROUND_MS = 50
const IDLE_MS = 500
const STORE_POSITION_MS = 1_000

const listReading = query<Row>('webhooks/list_reading')
const insertDeliveries = query<{ id: number }>('webhooks/insert_deliveries')

/** Reads until the signal is aborted. Rejects if the database or FEED cannot be read. */
export async function readForWebhooks(deps: ReadDeps, signal: AbortSignal): Promise<void> {
  const { db, hub } = deps
  const changes = new Changes()
  const leave = hub.subscribe({ onBatch: () => changes.notify() })
  const endpoints = new Map<number, Endpoint>()
  try {
    while (!signal.aborted) {
      const head = hub.head()
      const rows = await listReading(db, [WAITING_MAX])
      forgetOthers(endpoints, rows)
      for (const row of rows) {
        signal.throwIfAborted()
        const endpoint = endpoints.get(row.id) ?? new Endpoint(deps, row)
        endpoints.set(row.id, endpoint)
        await endpoint.advance(row, signal)
      }
      const areAtHead = rows.every(({ id }) => (endpoints.get(id)?.sequence ?? 0) >= head)
      if (areAtHead && hub.head() === head) {
        await changes.next(AbortSignal.any([signal, AbortSignal.timeout(IDLE_MS)]))
      }
      await pause(ROUND_MS)
    }
  } finally {
    leave()
  }
}

/** An endpoint that was deleted, paused or is full begins again with its row. */
function forgetOthers(endpoints: Map<number, Endpoint>, rows: readonly Row[]): void {
  const reading = new Set(rows.map(({ id }) => id))
  for (const id of endpoints.keys()) if (!reading.has(id)) endpoints.delete(id)
}

/** State of an endpoint between two rounds. */
class Endpoint {
  private readonly deps: ReadDeps
  private readonly select: Select
  /** Read up to here; messages after the stored position had no deliveries. */
  private position: ReadPosition
  private storedAt = performance.now()
  private stored: Pick<ReadPosition, 'epoch' | 'sequence'>

  constructor(deps: ReadDeps, row: Row) {
    this.deps = deps
    this.select = selectorOf(selectionOf(row), deps.naming)
    this.position = positionOf(row)
    this.stored = this.position
  }

  get sequence(): number {
    return this.position.sequence
  }

  async advance(row: Row, signal: AbortSignal): Promise<void> {
    const { hub } = this.deps
    const isMoved = row.epoch !== this.stored.epoch || row.sequence !== this.stored.sequence
    if (isMoved) this.position = positionOf(row)
    this.stored = { epoch: row.epoch, sequence: row.sequence }
    const { epoch, sequence } = this.position
    const first = hub.first()
    if (epoch === NOT_BEGUN.epoch) {
      await this.store(row, [], { epoch: hub.epoch, sequence: hub.head(), slot: 0 })
    } else if (epoch !== hub.epoch) {
      await this.skip(row, { epoch: hub.epoch, sequence: hub.head() })
    } else if (sequence + 1 < first) {
      await this.skip(row, { epoch, sequence: first - 1 })
    } else {
      const batches = await messagesAfter(hub, sequence, signal)
      await this.take(row, batches)
    }
  }

  private async skip(row: Row, to: Omit<ReadPosition, 'slot'>): Promise<void> {
    const { log } = this.deps
    const lost = { webhook: row.id, from: this.position.sequence, to: to.sequence }
    log.error(lost, 'webhook missed messages that FEED no longer holds')
    await this.store(row, [skipOf(this.position, to)], { ...to, slot: this.position.slot })
  }

  private async take(row: Row, batches: readonly FeedBatch[]): Promise<void> {
    const deliveries: Delivery[] = []
    const { epoch } = this.position
    let { sequence, slot } = this.position
    for (const batch of batches) {
      const selected = this.select(batch, epoch)
      deliveries.push(...selected.deliveries)
      sequence = batch.sequence
      slot = Math.max(slot, selected.slot)
      if (deliveries.length >= DELIVERIES_MAX) break
    }
    const position = { epoch, sequence, slot }
    const isDue = performance.now() - this.storedAt >= STORE_POSITION_MS
    if (deliveries.length > 0 || (isDue && sequence !== row.sequence)) {
      await this.store(row, deliveries, position)
    } else this.position = position
  }

  /** Moves the row from where it was read; another process that moved it meanwhile wins. */
  private async store(row: Row, deliveries: readonly Delivery[], to: ReadPosition): Promise<void> {
    const { db, onStored } = this.deps
    const ids = deliveries.map(({ id }) => id)
    const bodies = deliveries.map(({ body }) => body)
    const position = [to.epoch, to.sequence, to.slot]
    const moved = [row.id, row.epoch, row.sequence, ...position, ids, bodies]
    const [done] = await insertDeliveries(db, moved)
    this.storedAt = performance.now()
    if (done === undefined) {
      // Paused, deleted or moved: the next round begins with its row.
      this.position = positionOf(row)
      return
    }
    this.position = to
    this.stored = to
    if (deliveries.length > 0 && row.attempts === 0) onStored(row.id)
  }
}

const positionOf = ({ epoch, sequence, slot }: ReadPosition): ReadPosition => ({
  epoch,
  sequence,
  slot,
})

/** The next messages that the hub has read, from memory or from the stream; empty at the head. */
async function messagesAfter(
  hub: FeedHub,
  sequence: number,
  signal: AbortSignal,
): Promise<readonly FeedBatch[]> {
  const held = hub.held(sequence + 1, MESSAGES_MAX)
  if (held !== undefined) return held
  const batches: FeedBatch[] = []
  const head = hub.head()
  for await (const batch of hub.readFrom(sequence + 1, signal)) {
    batches.push(batch)
    if (batches.length >= MESSAGES_MAX || batch.sequence >= head) break
  }
  return batches
}
