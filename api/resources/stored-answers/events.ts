/**
 * Progress of a stored question as server-sent events: one a second while it changes, the last with its answer.
 *
 * The id of an event is the version of the row, so a client that resumes after an id gets later states only.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { writeExact } from '../../routing/json.ts'
import { hasEnded, type StoredRow } from './store.ts'

/** A kind of question with its path, which ends with /events. */
export type EventsOfKind<Row extends StoredRow = StoredRow> = {
  readonly path: string
  readonly noun: string
  find(db: Queryable, id: string, lineage: string): Promise<Row | undefined>
  present(row: Row): object
  /** The answer as its last event shows it. */
  answer(db: Queryable, row: Row): Promise<object>
}

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

/** Whether the client has seen the end: it need not connect again. */
export const isSeen = ({ status, version }: StoredRow, after: number): boolean =>
  hasEnded(status) && version <= after

/** Texts of the stream. Ends with the answer, or with the signal. */
export async function* answerEvents<Row extends StoredRow>(
  kind: EventsOfKind<Row>,
  of: EventsOf,
): AsyncGenerator<string> {
  const { id, lineage, run, signal } = of
  let { after } = of
  yield RETRY
  while (!signal.aborted) {
    const row = await run((db) => kind.find(db, id, lineage))
    if (row === undefined) {
      yield eventOf('cancelled', after + 1, { id, status: 'cancelled' })
      return
    }
    if (row.version > after) yield await stateOf(kind, row, run)
    else yield UNCHANGED
    if (hasEnded(row.status)) return
    after = Math.max(after, row.version)
    await pause(EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

async function stateOf<Row extends StoredRow>(
  kind: EventsOfKind<Row>,
  row: Row,
  run: EventsOf['run'],
): Promise<string> {
  const { id, status, version, failure } = row
  if (status === 'failed') return eventOf('failed', version, { id, status, failure })
  if (status !== 'done') return eventOf('progress', version, kind.present(row))
  return eventOf('done', version, await run((db) => kind.answer(db, row)))
}

const eventOf = (event: string, version: number, state: object): string =>
  `event: ${event}\nid: ${version}\ndata: ${writeExact(state)}\n\n`
