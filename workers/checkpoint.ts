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
