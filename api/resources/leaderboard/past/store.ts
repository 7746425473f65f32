/** Leaderboards as of a slot in the tables: their progress and their answers. */
import { parseExact } from '../../../../domain/text/exact-json.ts'
import type { Queryable } from '../../../../sql/driver/queryable.ts'
import { query } from '../../../../sql/query.ts'
import { writerOf } from '../../../routing/json.ts'
import type { EventsOfKind } from '../../stored-answers/events.ts'
import { etaMs, isId, type StoredRow } from '../../stored-answers/store.ts'
import { type PastLeaderboard, pastLeaderboard, type RankingJob } from './schema.ts'

type RankingRow = StoredRow & { wallets: number; wallets_done: number }

const findRow = query<RankingRow>('past-ranking/find_ranking')
const finishRow = query('past-ranking/finish_ranking')
const noteRow = query('past-ranking/note_progress')
const writeAnswer = writerOf(pastLeaderboard)

/** Undefined: there is none of this id and lineage that is younger than a day. */
export async function findRanking(
  db: Queryable,
  id: string,
  lineage: string,
): Promise<RankingRow | undefined> {
  return isId(id) ? (await findRow(db, [id, lineage]))[0] : undefined
}

/** Whether the run is still wanted. */
export async function noteRanking(
  db: Queryable,
  id: string,
  { wallets, done }: { wallets: number; done: number },
): Promise<boolean> {
  return (await noteRow(db, [id, wallets, done])).length > 0
}

export async function finishRanking(db: Queryable, answer: PastLeaderboard): Promise<void> {
  await finishRow(db, [answer.id, writeAnswer(answer)])
}

export const answerOf = ({ answer }: RankingRow): PastLeaderboard =>
  parseExact(answer ?? '{}') as PastLeaderboard

/** The state of one that has not ended. */
export function presentRanking(row: RankingRow): RankingJob {
  const { id, status, wallets, wallets_done, running_ms: runningMs } = row
  return {
    ...{ id, wallets, wallets_done },
    status: status === 'waiting' ? 'waiting' : 'running',
    eta_ms: etaMs(runningMs, wallets_done, wallets),
  }
}

export const RANKING_EVENTS: EventsOfKind<RankingRow> = {
  path: '/v2/asof/leaderboard/{id}',
  noun: 'leaderboard',
  find: findRanking,
  present: presentRanking,
  answer: async (_db, row) => answerOf(row),
}
