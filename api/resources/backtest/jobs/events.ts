/** How the events of a back-test show it; the answer comes without trades, which its next_cursor begins. */
import type { EventsOfKind } from '../../stored-answers/events.ts'
import { pageOfAnswer } from './routes.ts'
import { findJob, type JobRow, presentJob } from './store.ts'

export const BACKTEST_EVENTS: EventsOfKind<JobRow> = {
  path: '/v2/backtest/{id}',
  noun: 'back-test',
  find: findJob,
  present: presentJob,
  answer: (db, row) => pageOfAnswer(db, row, 0, 0),
}
