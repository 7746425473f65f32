/**
 * The query of a function of `functions/` in plpgsql as a statement, so that it can be read as of a slot. Pure but for reading the
 * file.
 * Decision: docs/decisions/0124-functions-of-now-are-read-as-of-a-slot.md
 */
import { readFileSync } from 'node:fs'

const COLUMN = /(\w+) (?:integer|bigint|numeric|double precision)/g

/**
 * The query that a function of several rows returns, with its columns by their names. `values`: what stands for its arguments and
 * variables, such as a parameter with its type. Throws where the file has no such function.
 */
export function functionQuery(name: string, values: Readonly<Record<string, string>>): string {
  const file = new URL(`../functions/${name}.sql`, import.meta.url)
  return queryOfFunction(readFileSync(file, 'utf8'), name, values)
}

/** The same of a text. Pure. */
export function queryOfFunction(
  text: string,
  name: string,
  values: Readonly<Record<string, string>>,
): string {
  const own = text.split('create or replace function ').find((each) => each.startsWith(`${name}(`))
  const [, table] = /returns table \(([^)]*)\)/.exec(own ?? '') ?? []
  const [, body] = /return query\n([\s\S]*?);\nend\n\$\$/.exec(own ?? '') ?? []
  if (table === undefined || body === undefined) {
    throw new Error(`"${name}" is no function that returns a query`)
  }
  const columns = Array.from(table.matchAll(COLUMN), ([, column]) => column)
  const variable = new RegExp(`(?<!\\.)\\b(?:${Object.keys(values).join('|')})\\b`, 'g')
  const query = body.replaceAll(variable, (each) => values[each] ?? each)
  return `with made (${columns.join(', ')}) as (\n${query}\n)\nselect * from made`
}
