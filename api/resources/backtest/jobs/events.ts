/**
 * Progress of a back-test as server-sent events: one a second while it changes, the last with its answer.
 *
 * The id of an event is the version of the row, so a client that resumes after an id gets later states only.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Queryable } from '../../../../sql/driver/queryable.ts'
import { writeExact } from '../../../routing/json.ts'
import { pageOfAnswer } from './routes.ts'
import { findJob, type JobRow, presentJob } from './store.ts'

type EventsOf = {
  readonly id: string
  readonly lineage: string
  /** Version after which it resumes; -1: from the present state on. */
  readonly after: number
  readonly run: <Result>(work: (db: Queryable) => Promise<Result>) => Promise<Result>
  readonly signal: AbortSignal
}

const EVERY_MS = 1_000
/** Milliseconds after which a client connects again. */
const RETRY = `retry: ${EVERY_MS}\n\n`
/** Sent while nothing changes, so that no proxy closes the connection. */
const UNCHANGED = ': unchanged\n\n'

/** Whether the client has seen the end of the back-test: it need not connect again. */
export const isSeen = ({ status, version }: JobRow, after: number): boolean =>
  hasEnded(status) && version <= after

/** Texts of the stream. Ends with the back-test, or with the signal. */
export async function* backtestEvents(of: EventsOf): AsyncGenerator<string> {
  const { id, lineage, run, signal } = of
  let { after } = of
  yield RETRY
  while (!signal.aborted) {
    const row = await run((db) => findJob(db, id, lineage))
    if (row === undefined) {
      yield eventOf('cancelled', after + 1, { id, status: 'cancelled' })
      return
    }
    if (row.version > after) yield await stateOf(row, run)
    else yield UNCHANGED
    if (hasEnded(row.status)) return
    after = Math.max(after, row.version)
    await pause(EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

const hasEnded = (status: JobRow['status']): boolean => status === 'done' || status === 'failed'

/** The answer comes without trades, which its next_cursor begins. */
async function stateOf(row: JobRow, run: EventsOf['run']): Promise<string> {
  const { id, status, version, failure } = row
  if (status === 'failed') return eventOf('failed', version, { id, status, failure })
  if (status !== 'done') return eventOf('progress', version, presentJob(row))
  const answer = await run((db) => pageOfAnswer(db, row, 0, 0))
  return eventOf('done', version, answer)
}

const eventOf = (event: string, version: number, state: object): string =>
  `event: ${event}\nid: ${version}\ndata: ${writeExact(state)}\n\n`
