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

export type QueryOptions = {
  /** Planned for the values of each call, also on a connection that keeps plans (sql/plans.ts). */
  isPlannedAnew?: boolean
}

/** Loads a statement, e.g. `query<Row>('swaps/find_signature')`. Throws when there is no such file. */
export function query<Row extends QueryResultRow = QueryResultRow>(
  path: string,
  { isPlannedAnew = false }: QueryOptions = {},
): Query<Row> {
  const text = readFileSync(new URL(`./queries/${path}.sql`, import.meta.url), 'utf8')
  const name = path.replace('/', '.')
  const run = (db: Queryable, parameters: readonly unknown[] = []): Promise<Row[]> => {
    const ask = () => execute<Row>(db, { name, text, values: [...parameters] })
    return isPlannedAnew ? withNewPlan(db, ask) : ask()
  }
  return Object.defineProperties(run, {
    name: { value: name },
    text: { value: text },
  }) as unknown as Query<Row>
}

/** Connections that keep plans for all values, as sql/plans.ts chose. */
const keeping = new WeakSet<Queryable>()

export function notePlans(db: Queryable, areKept: boolean): void {
  if (areKept) keeping.add(db)
  else keeping.delete(db)
}

const makePlans = query('plans/make_plans')
const keepPlans = query('plans/keep_plans')

/** What `ask` sends is planned for its values. */
export async function withNewPlan<Result>(
  db: Queryable,
  ask: () => Promise<Result>,
): Promise<Result> {
  if (!keeping.has(db)) return ask()
  await makePlans(db)
  try {
    return await ask()
  } finally {
    // Refused in a transaction that failed, the end of which undoes both.
    await keepPlans(db).catch(() => {})
  }
}
