/**
 * Dead letters: what an actor could not take, with the reason, kept until an operator sends it again,
 * as it was (the software having been mended) or corrected (the event having been mended).
 */
import type { Db } from '../sql/db.ts'
import { query } from '../sql/query.ts'
import type { PublishBatch } from '../streams/batcher.ts'
import type { Event } from '../streams/event.ts'
import type { JetStream } from '../streams/jetstream.ts'
import { type SubjectPrefix, swapSubject } from '../streams/subject.ts'

export type DeadLetterRow = {
  id: number
  actor: string
  lane: number
  /** Sequence of its message in the stream, and its index within the message. */
  sequence: number
  part: number
  subject: string
  reason: string
  payload_bytes: number
  created_at: Date
  /** When it was sent again; null: it waits. */
  retried_at: Date | null
}

type Letter = { id: number; subject: string; payload: Buffer; part: number; reason: string }

const listRows = query<DeadLetterRow>('dead/list_dead_letters')
const loadLetters = query<Letter>('dead/load_dead_letters')
const markRetried = query('dead/mark_retried')

/** The newest dead letters. */
export function listDeadLetters(db: Db, options: { limit: number }): Promise<DeadLetterRow[]> {
  return listRows(db, [options.limit])
}

/**
 * Sends dead letters again as they are: those of `ids`, or all that wait. Answers with the ids sent;
 * what is still poison comes back as a new dead letter.
 */
export async function retryDeadLetters(
  db: Db,
  jetStream: JetStream,
  ids: readonly number[] | 'all',
): Promise<number[]> {
  const letters = await loadLetters(db, [ids === 'all' ? null : ids])
  for (const { id, subject, payload } of letters) {
    await jetStream.publish(subject, payload)
    await markRetried(db, [id])
  }
  return letters.map((letter) => letter.id)
}

/** Sends a corrected event in the place of a dead letter. Resolves to false when there is none. */
export async function mendDeadLetter(
  db: Db,
  publish: PublishBatch,
  place: { id: number; event: Event; prefix: SubjectPrefix; laneCount: number },
): Promise<boolean> {
  const [letter] = await loadLetters(db, [[place.id]])
  if (letter === undefined) return false
  const subject = swapSubject(place.prefix, place.event, place.laneCount)
  await publish({ subject, events: [place.event] })
  await markRetried(db, [place.id])
  return true
}
