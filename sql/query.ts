/**
 * A statement of `queries/` (statements/named.ts) as a function of its parameters. A template (statements/template.ts) is several
 * statements, each named by the template and its variant: `<topic>/<verb>_<noun>_<variant>`. The name is the prepared
 * statement's name and the label in metrics and errors.
 */
import type { QueryConfig, QueryResultRow } from 'pg'
import type { Queryable } from './driver/queryable.ts'
import { loadStatements } from './statements/named.ts'

const { statements, templates } = loadStatements()

export type Query<Row extends QueryResultRow> = {
  readonly name: string
  readonly text: string
  /** Runs it; rejects with the database's error. */
  (db: Queryable, parameters?: readonly unknown[]): Promise<Row[]>
}

export type QueryOptions = {
  /** Planned for the values of each call, also on a connection that caches plans (sql/plans.ts). */
  isPlannedAnew?: boolean
  /** Planned by the setting of its transaction, whatever tables it reads. */
  isPlannedBySetting?: boolean
}

/** Loads a statement, e.g. `query<Row>('swaps/find_wallet')`. Throws when there is no such statement. */
export function query<Row extends QueryResultRow = QueryResultRow>(
  path: string,
  options: QueryOptions = {},
): Query<Row> {
  return queryOf(path.replace('/', '.'), readStatement(path), options)
}

/** A statement that was made of one of `queries/`, under a name that no other has. */
export function queryOf<Row extends QueryResultRow = QueryResultRow>(
  name: string,
  text: string,
  { isPlannedAnew = false, isPlannedBySetting = false }: QueryOptions = {},
): Query<Row> {
  const reads = readerOf(text)
  const run = (db: Queryable, parameters: readonly unknown[] = []): Promise<Row[]> => {
    const runQuery = () => execute<Row>(db, { name, text, values: [...parameters] })
    const plans = plansOf.get(db)
    if (plans === undefined || isPlannedBySetting) return runQuery()
    return withPlans(db, plans, isPlannedAnew || reads(plans.crowded), runQuery)
  }
  return Object.defineProperties(run, {
    name: { value: name },
    text: { value: text },
  }) as unknown as Query<Row>
}

/** Loads all statements of a template by variant. Throws when the names are not those that the template lists. */
export function variants<Row extends QueryResultRow, Name extends string>(
  path: string,
  names: readonly Name[],
  options: QueryOptions = {},
): Readonly<Record<Name, Query<Row>>> {
  const listed = templates.get(path) ?? []
  if (listed.toSorted().join() !== names.toSorted().join()) {
    throw new Error(`template "${path}" has the variants "${listed}", expected "${names}"`)
  }
  const loaded = names.map((name) => [name, query<Row>(`${path}_${name}`, options)])
  return Object.fromEntries(loaded) as Record<Name, Query<Row>>
}

function readStatement(path: string): string {
  const text = statements.get(path)
  if (text !== undefined) return text
  const template = [...templates.keys()].find((each) => `${path}_`.startsWith(`${each}_`))
  if (template !== undefined) {
    const listed = templates.get(template)
    throw new Error(`no statement "${path}": expected "${template}_" and one of "${listed}"`)
  }
  const file = `${path.split('/')[0]}.sql`
  throw new Error(`no statement "${path}": expected "-- name: ${path}" in sql/queries/${file}`)
}

/** Rows of a statement; an error has the stack of the caller. */
async function execute<Row extends QueryResultRow>(
  db: Queryable,
  statement: QueryConfig,
): Promise<Row[]> {
  const { rows } = await db.query<Row>(statement)
  return rows
}

/**
 * A connection's present plan mode, undefined where unknown, and the names of tables and functions over which it must
 * not cache plans.
 */
type Plans = { areCached: boolean | undefined; crowded: ReadonlySet<string> }

/** Plan modes of connections that plan as sql/plans.ts chooses; others plan as the server does by itself. */
const plansOf = new WeakMap<Queryable, Plans>()
const makePlans = query('plans/make_plans')
const keepPlans = query('plans/keep_plans')

export function notePlans(db: Queryable, crowded: ReadonlySet<string>): void {
  plansOf.set(db, { areCached: plansOf.get(db)?.areCached, crowded })
}

/** After a rollback, which undoes settings made within. */
export function forgetPlans(db: Queryable): void {
  const plans = plansOf.get(db)
  if (plans !== undefined) plans.areCached = undefined
}

/** Whether a connection caches the plans of all statements but the ones that are always planned for their values. */
export function keepsAllPlans(db: Queryable): boolean {
  return plansOf.get(db)?.crowded.size === 0
}

/** Runs `runQuery` with custom or generic plans; the connection stays in that mode. */
async function withPlans<Result>(
  db: Queryable,
  plans: Plans,
  isAnew: boolean,
  runQuery: () => Promise<Result>,
): Promise<Result> {
  try {
    if (plans.areCached === !isAnew) return await runQuery()
    const { name, text } = isAnew ? makePlans : keepPlans
    // Set before the statement completes, for other statements on this connection meanwhile.
    plans.areCached = !isAnew
    const [, rows] = await Promise.all([execute(db, { name, text }), runQuery()])
    return rows
  } catch (error) {
    // The end of a failed transaction undoes its settings.
    plans.areCached = undefined
    throw error
  }
}

/** Whether a statement reads any of the names. */
function readerOf(text: string): (names: ReadonlySet<string>) => boolean {
  const words = new Set(text.replace(/--.*/g, '').match(/\w+/g))
  let latest: ReadonlySet<string> | undefined
  let isAny = false
  return (names) => {
    if (names !== latest) {
      latest = names
      isAny = !words.isDisjointFrom(names)
    }
    return isAny
  }
}
