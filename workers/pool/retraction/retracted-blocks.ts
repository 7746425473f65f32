/**
 * The blocks whose events a lane leaves out, and the reason why a retraction is refused.
 *
 * Law: a retraction is stored by the commit of the batch that brings it, and from that batch on the lane accepts no
 * event of the block. So whatever is stored of the block came before, and one later commit takes it out (apply.ts).
 * Retractions of all lanes count: a pool may have been another lane's, and one lane's judgement binds those after it.
 *
 * Decision: docs/decisions/0044-retractions-are-not-cancelled.md
 */
import { RetractedBlocks, type Retraction } from '../../../domain/events/retraction.ts'
import { type RetractionRow, retractionOfRow } from '../../../domain/events/stored-row.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'

type Judged = { is_refused: boolean; slot_ms: number | null }

const listRetractions = query<RetractionRow>('retraction/list_all_blocks')
const judgeRetraction = query<Judged>('retraction/judge_retraction')

/** Days before the newest swap's in which blocks may be retracted. */
const REVERSIBLE_DAYS = 2

export async function loadRetractedBlocks(db: Db): Promise<RetractedBlocks> {
  return new RetractedBlocks((await listRetractions(db)).map(retractionOfRow))
}

/** The reason why a retraction is refused; undefined where it is not. The first judgement is that of all lanes. */
export async function refusalOf(
  db: Db,
  { slot, blockhash = '' }: Retraction,
): Promise<string | undefined> {
  const [judged] = await judgeRetraction(db, [slot, blockhash, REVERSIBLE_DAYS * DAY_MS])
  if (judged?.is_refused !== true) return undefined
  const day = new Date(judged.slot_ms ?? 0).toISOString().slice(0, 10)
  const expected = `the day of the newest swap or one of the ${REVERSIBLE_DAYS} before it`
  return `retraction of slot ${slot}: its day ${day} is closed; expected ${expected}`
}
