/**
 * Dead letters: events that an actor could not apply, with the reason, retained until an operator sends them again,
 * unchanged (after a fix of the software) or corrected.
 */

import type { Event } from '../domain/events/event.ts'
import type { DeadLetterRow } from '../domain/events/rejected-event.ts'
import type { Db } from '../sql/db.ts'
import { query } from '../sql/query.ts'
import { decodeEventBatch, encodeEventBatch, type WireEvent } from '../streams/codec/event-codec.ts'
import { unlessBroken } from '../streams/codec/protobuf.ts'
import type { PublishBatch } from '../streams/ingest/batcher.ts'
import type { JetStream } from '../streams/nats/jetstream.ts'
import { laneOfSubject, subjectOfLane, swapSubjects } from '../streams/nats/subject.ts'
import type { Topology } from '../streams/nats/topology.ts'

type Letter = { id: number; subject: string; payload: Buffer }
/** Where events are to be sent. */
type Lanes = Pick<Topology, 'prefix' | 'laneCount'>

const listRows = query<DeadLetterRow>('dead/list_dead_letters')
const loadLetters = query<Letter>('dead/load_dead_letters')
const markRetried = query('dead/mark_retried')
const countWaiting = query<{ waiting: number }>('dead/count_waiting')

type DeadLetterPage = { limit: number; onlyWaiting?: boolean; belowId?: number | undefined }

/** The newest dead letters, or the newest below an id. */
export function listDeadLetters(
  db: Db,
  { limit, onlyWaiting = false, belowId }: DeadLetterPage,
): Promise<DeadLetterRow[]> {
  return listRows(db, [limit, onlyWaiting, belowId ?? null])
}

/** How many wait to be sent again. */
export async function countDeadLetters(db: Db): Promise<number> {
  return (await countWaiting(db))[0]?.waiting ?? 0
}

/** Dead letters that are held and sent at once. */
const SENT_MAX = 1_000

/**
 * Sends dead letters of SWAP again unchanged: the ones listed in `ids`, all pending ones, or the oldest 1,000 pending
 * ones. Returns the ids sent; an event that is still poison is stored as a new dead letter. `by` is recorded in the
 * audit log. A dead letter of FEED is not sent again: its swaps are counted from the tables.
 */
export async function retryDeadLetters(
  db: Db,
  { jetStream, topology }: { jetStream: JetStream; topology: Lanes },
  ids: readonly number[] | 'all' | 'oldest',
  by: string,
): Promise<number[]> {
  const sent: number[] = []
  // A letter that fails again is stored under a higher id, beyond this round.
  const newest = (await listDeadLetters(db, { limit: 1 }))[0]?.id ?? 0
  const [named, countMax] = typeof ids === 'string' ? [null, SENT_MAX] : [ids, ids.length]
  for (;;) {
    const letters = await loadLetters(db, [named, newest, countMax])
    for (const letter of letters) {
      for (const { subject, payload } of messagesOf(letter, topology)) {
        await jetStream.publish(subject, payload)
      }
      await markRetried(db, [letter.id, by])
      sent.push(letter.id)
    }
    if (ids !== 'all' || letters.length < SENT_MAX) return sent
  }
}

/**
 * Messages to send again. Where the lane count changed since, events are routed to the present lanes of their pools; a
 * retraction, whose refusal one lane has stored for all, to every lane.
 */
function messagesOf(
  { subject, payload }: Letter,
  { prefix, laneCount }: Lanes,
): { subject: string; payload: Uint8Array }[] {
  const events = unlessBroken(() => decodeEventBatch(payload)) ?? []
  const known = subjectOfLane(subject, laneOfSubject(subject) % laneCount)
  if (events.length === 0) return [{ subject: known, payload }]
  // Earlier versions stored a refused retraction once a lane.
  const isOfOneLane = (event: WireEvent) => event.kind === 'retract' && laneOfSubject(subject) > 0
  const subjectsOf = (event: WireEvent): string[] => {
    if (isOfOneLane(event)) return [known]
    try {
      return swapSubjects(prefix, event as Event, laneCount)
    } catch (error) {
      // An unknown venue: every lane rejects the event for the same reason.
      if (error instanceof RangeError) return [known]
      throw error
    }
  }
  const routed = events.flatMap((event) => subjectsOf(event).map((to) => ({ to, event })))
  const bySubject = Map.groupBy(routed, ({ to }) => to)
  return Array.from(bySubject, ([to, own]) => ({
    subject: to,
    // An event alone is sent as it came.
    payload:
      events.length === 1 ? payload : encodeEventBatch(own.map(({ event }) => event as Event)),
  }))
}

/** Sends a corrected event instead of a dead letter. Resolves to false when no dead letter has this id. */
export async function mendDeadLetter(
  db: Db,
  publish: PublishBatch,
  correction: { id: number; event: Event; by: string } & Lanes,
): Promise<boolean> {
  const [letter] = await loadLetters(db, [[correction.id], correction.id, 1])
  if (letter === undefined) return false
  const { prefix, event, laneCount } = correction
  for (const subject of swapSubjects(prefix, event, laneCount)) {
    await publish({ subject, events: [event] })
  }
  await markRetried(db, [correction.id, correction.by])
  return true
}
