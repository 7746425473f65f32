/**
 * One statement a file: `queries/<feature>/<verb>_<noun>.sql` becomes a function of its parameters.
 * The file's name is the prepared statement's name and the label in metrics and errors.
 */
import { readFileSync } from 'node:fs'
import type { QueryResultRow } from 'pg'
import type { Queryable } from './db.ts'
import { execute } from './prepared.ts'

export type Query<Row extends QueryResultRow> = {
  readonly name: string
  readonly text: string
  /** Runs it; rejects with the database's error. */
  (db: Queryable, parameters?: readonly unknown[]): Promise<Row[]>
}

/** Loads a statement, e.g. `query<Row>('swaps/find_signature')`. Throws when there is no such file. */
export function query<Row extends QueryResultRow = QueryResultRow>(path: string): Query<Row> {
  const text = readFileSync(new URL(`./queries/${path}.sql`, import.meta.url), 'utf8')
  const name = path.replace('/', '.')
  const run = (db: Queryable, parameters: readonly unknown[] = []): Promise<Row[]> =>
    execute<Row>(db, { name, text, values: [...parameters] })
  return Object.defineProperties(run, {
    name: { value: name },
    text: { value: text },
  }) as unknown as Query<Row>
}
