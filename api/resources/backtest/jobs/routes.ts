/** REST of back-tests that jobs compute: their progress or answer, and their end. */
import type { Queryable } from '../../../../sql/driver/queryable.ts'
import type { JobRequests } from '../../../../streams/jobs/job.ts'
import { Accepted } from '../../../routing/declaration.ts'
import { READ_ERRORS } from '../../../routing/error.ts'
import { cursorNumber, decodeCursor, encodeCursor } from '../../../routing/reading/cursor.ts'
import { type Route, route } from '../../../routing/route.ts'
import {
  deleteQuestion,
  failedQuestion,
  hurry,
  unknownQuestion,
} from '../../stored-answers/store.ts'
import { type CopyAnswer, copyAnswer } from '../schema.ts'
import { cancelled, copyJob, EXAMPLE_ID, ofAnswer, ofJob } from './schema.ts'
import { findJob, type JobRow, presentJob, readAnswer } from './store.ts'

const LIST = ['back-test'] as const
const NOUN = 'back-test'
const PATH = '/v2/backtest/{id}'

export function copyJobRoutes(jobs: Pick<JobRequests, 'request'> | undefined): Route[] {
  const reading = route({
    path: PATH,
    operationId: 'getBacktest',
    graphqlField: 'backtest',
    family: 'enveloped',
    summary: 'Progress or answer of a back-test that a job computes',
    description:
      '202 with the progress until it is done; /v2/backtest/{id}/events sends the same each second. An answer is stored for a day, and read by ' +
      'the keys of the account that began it.',
    parameters: ofAnswer,
    answer: copyAnswer,
    accepted: copyJob,
    rows: 'trades',
    errors: [...READ_ERRORS, 'NOT_FOUND'],
    example: { id: EXAMPLE_ID, limit: 50, cursor: encodeCursor(LIST, [0]) },
    async respond({ id, limit, cursor }, { reader, signal, caller }) {
      const first = firstOf(cursor)
      return await reader.run(signal, async (db) => {
        const row = await findJob(db, id, caller.lineage)
        if (row === undefined) throw unknownQuestion(NOUN, id)
        if (row.status === 'failed') throw failedQuestion(NOUN, row)
        if (row.status === 'done') return await pageOfAnswer(db, row, first, limit)
        await hurry('backtest', row, jobs)
        return new Accepted(presentJob(row))
      })
    },
  })
  const ending = route({
    path: PATH,
    operationId: 'deleteBacktest',
    method: 'delete',
    family: 'enveloped',
    summary: 'Cancels a back-test, or deletes its answer',
    parameters: ofJob,
    answer: cancelled,
    errors: [...READ_ERRORS, 'NOT_FOUND'],
    example: { id: EXAMPLE_ID },
    async respond({ id }, { reader, signal, caller }) {
      const { lineage } = caller
      const isGone = await reader.run(signal, (db) => deleteQuestion('backtest', db, id, lineage))
      if (!isGone) throw unknownQuestion(NOUN, id)
      return { id, status: 'cancelled' as const }
    },
  })
  return [reading, ending]
}

/** A page of a stored answer, whose cursor is one of GET /v2/backtest/{id}. */
export async function pageOfAnswer(
  db: Queryable,
  row: JobRow,
  first: number,
  limit: number,
): Promise<CopyAnswer> {
  const end = Math.min(row.trades, first + limit)
  const answer = await readAnswer(db, row, first, end)
  return { ...answer, next_cursor: end < row.trades ? encodeCursor(LIST, [end]) : null }
}

/** Index of the first trade of a page. Throws ApiError. */
function firstOf(cursor: string | undefined): number {
  const [index = '0'] = cursor === undefined ? [] : decodeCursor(LIST, cursor, 1)
  return cursorNumber(index)
}
