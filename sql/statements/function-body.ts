/**
 * The query of a function of `functions/` in plpgsql as a statement, and the expression of one in SQL in place of its call, so that
 * both can be read as of a slot. Pure but for reading the file.
 * Decisions: docs/decisions/0124-functions-of-now-are-read-as-of-a-slot.md,
 * docs/decisions/0132-the-last-sandwiches-as-of-a-slot-are-searched-again.md
 */
import { readFileSync } from 'node:fs'

const COMMENTS = /--.*/g
const COLUMN = /(\w+) (?:integer|bigint|numeric|double precision)/g

/**
 * The query that a function of several rows returns, with its columns by their names. `values`: what stands for its arguments and
 * variables, such as a parameter with its type. Throws where the file has no such function.
 */
export function functionQuery(name: string, values: Readonly<Record<string, string>>): string {
  return queryOfFunction(readFunctions(name), name, values)
}

/** The text of a file of `functions/`. */
export const readFunctions = (file: string): string =>
  readFileSync(new URL(`../functions/${file}.sql`, import.meta.url), 'utf8')

/**
 * The expression that a function of `text` returns, with arguments for its parameters, which it names with the function:
 * `doubled.n`. Throws where there is no such function, and for another number of arguments. Pure.
 */
export function expressionOfFunction(text: string, name: string, argument: string): string {
  const own = ownText(text, name)?.replaceAll(COMMENTS, '')
  const [, listed = ''] = /^\w+\(([^)]*)\)/.exec(own ?? '') ?? []
  const [, expression] = /\nreturn ([^;]*);/.exec(own ?? '') ?? []
  const parameters = listed.split(',').map((each) => each.trim().split(' ')[0])
  const values = argument.split(',').map((each) => each.trim())
  if (expression === undefined || values.length !== parameters.length) {
    throw new Error(`"${name}" is no function that returns an expression of "${argument}"`)
  }
  const parameter = new RegExp(`\\b${name}\\.(\\w+)`, 'g')
  const made = expression.replaceAll(
    parameter,
    (each, of: string) => values[parameters.indexOf(of)] ?? each,
  )
  return `(${made})`
}

const ownText = (text: string, name: string): string | undefined =>
  text.split('create or replace function ').find((each) => each.startsWith(`${name}(`))

/** The same of a text. Pure. */
export function queryOfFunction(
  text: string,
  name: string,
  values: Readonly<Record<string, string>>,
): string {
  const own = ownText(text, name)
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
