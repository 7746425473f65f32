/** Dead letters: events that a worker cannot apply, stored with their reason in the commit that moves past them. */

import type { Log } from '../../domain/log.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'

/** Poison: an event that does not parse or breaks the ingest contract, and why. */
export type DeadLetter = {
  sequence: number
  /** Index of the event within its message. */
  part: number
  subject: string
  reason: string
  payload: Uint8Array
}

const insertDeadLetters = query('actor/insert_dead_letters')

/** A text of PostgreSQL has no NUL; a producer that sends one must not stop the lane. */
const storable = (text: string): string => text.replaceAll('\0', '')

type Origin = { actor: string; lane: number; streamEpoch: string; log: Log }

export async function writeDeadLetters(
  connection: Connection,
  letters: readonly DeadLetter[],
  { actor, lane, streamEpoch, log }: Origin,
): Promise<void> {
  if (letters.length === 0) return
  await insertDeadLetters(connection, [
    actor,
    lane,
    streamEpoch,
    letters.map((letter) => letter.sequence),
    letters.map((letter) => letter.part),
    letters.map((letter) => storable(letter.subject)),
    letters.map((letter) => storable(letter.reason)),
    letters.map((letter) => Buffer.from(letter.payload)),
  ])
  for (const { subject, sequence, part, reason } of letters) {
    log.warn({ subject, sequence, part, reason }, 'stored dead letter')
  }
}
