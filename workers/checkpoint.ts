/**
 * The checkpoint row of a lane: how far it has read, its newest commit, and where the rows stand that the
 * commit announces. It is read, and moved on, by the epoch of the lane's owner alone.
 */
import { query } from '../sql/query.ts'

export type CheckpointRow = {
  stream_epoch: string | null
  sequence: number
  commit_number: number
  transaction_id: string | null
  first_slots: string[]
  last_slots: string[]
}

export const readCheckpoint = query<CheckpointRow>('actor/read_checkpoint')
export const advanceCheckpoint = query<{ commit_number: number }>('actor/advance_checkpoint')

/**
 * How the transaction of a lane begins. One that announces nothing does not wait for the disk: its effects and
 * its progress are one transaction, so a server that forgets the newest of them in a crash forgets both, and
 * the lane reads the same messages again. What was announced must not be forgotten.
 */
export const beginOf = (announced: readonly string[]): string =>
  announced.length > 0 ? 'begin' : 'begin; set local synchronous_commit = off'
