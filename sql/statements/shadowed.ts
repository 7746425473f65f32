/**
 * A statement in which a name of a table stands for a query: the query becomes a common table expression of that name, ahead
 * of the statement's own. Pure.
 *
 * It is not materialized, so the planner treats a reference to it as it treats one to the table. Within the query itself the
 * name is that of the table.
 */

/** A statement in which names stand for other rows. `sources`: whose parameters follow those of the statement, in this order. */
export type ShadowedForm<Source> = { readonly text: string; readonly sources: readonly Source[] }

const COMMENTS = /--.*/g
const PARAMETER = /\$(\d+)/g
const LEADING_COMMENTS = /^(?:\s*--.*\n)*\s*/
const CURSOR = /^declare\s+\w+\s+(?:no\s+)?scroll\s+cursor\s+for\s+/
/** The statement's own common table expressions follow the name. */
const WITH = /^with\s+(?!recursive\b)/
const BEGINNING = /^(?:select|insert|update|delete|merge)\b/

/**
 * The text of `statement` where `table` stands for `query`, whose parameters follow those of the statement. Throws for a
 * statement that cannot begin with a common table expression.
 */
export function shadowTable(statement: string, table: string, query: string): string {
  const first = countParameters(statement)
  const numbered = query
    .replace(LEADING_COMMENTS, '')
    .trimEnd()
    .replaceAll(PARAMETER, (_, number: string) => `$${first + Number(number)}`)
  const expression = `${table} as not materialized (\n${numbered}\n)`
  const [header = ''] = LEADING_COMMENTS.exec(statement) ?? []
  const [cursor = ''] = CURSOR.exec(statement.slice(header.length)) ?? []
  const head = header + cursor
  const body = statement.slice(head.length)
  const [own = ''] = WITH.exec(body) ?? []
  if (own !== '') return `${head}with ${expression},\n${body.slice(own.length)}`
  if (BEGINNING.test(body)) return `${head}with ${expression}\n${body}`
  throw new Error(`no common table expression can precede "${body.slice(0, 40)}"`)
}

/** How many parameters a statement has. */
function countParameters(statement: string): number {
  const numbers = statement.replaceAll(COMMENTS, '').matchAll(PARAMETER)
  return Math.max(0, ...Array.from(numbers, ([, number]) => Number(number)))
}
