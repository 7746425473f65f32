/**
 * Statements by name, from files that hold those of a topic. A line gives the name of the statement that follows it,
 * header included, up to the next such line:
 *
 * ```
 * -- name: lots/find_position
 * -- The position of a wallet. $1 text: address.
 * select ...
 * ```
 *
 * `<topic>/<verb>_<noun>` is in `<topic>.sql` or `<topic>-<part>.sql`. The folder is read once and whole, so a process does
 * not start with a name that exists twice, or with text that belongs to no statement. Errors name the file and the line.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fillTemplate, includeFragments } from './template.ts'

/** `line` is that of its name, from 1; `text` has its placeholders and includes as in the file. */
type NamedText = { name: string; text: string; file: string; line: number }

/** `statements` by name, ready to be prepared; `templates` are the variants of each template by its name. */
type Statements = {
  statements: ReadonlyMap<string, string>
  templates: ReadonlyMap<string, readonly string[]>
}

const NAME_LINE = /^-- name: ([a-z]+(?:-[a-z]+)*)\/([a-z]+(?:_[a-z0-9]+)+)$/
/** Written by hand with another case or distance, it would join its statement to the one before. */
const LIKE_NAME_LINE = /^\s*--\s*names?\s*:/i
const COMMENT = /--.*/g

/** Statements of a file in its order; `file` is named in errors, and its last segment is compared with the topics. Pure. */
export function parseStatements(file: string, text: string): NamedText[] {
  const found: { name: string; line: number; lines: string[] }[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const at = `${file}:${index + 1}`
    // Most lines are none: every process parses all statements when it starts.
    const isComment = line.includes('--')
    const [, topic, name] = (isComment && NAME_LINE.exec(line)) || []
    if (topic !== undefined) {
      if (!isOfTopic(file, topic)) {
        throw new Error(`${at}: "${topic}/${name}" belongs in ${topic}.sql or ${topic}-<part>.sql`)
      }
      found.push({ name: `${topic}/${name}`, line: index + 1, lines: [] })
    } else if (isComment && LIKE_NAME_LINE.test(line)) {
      throw new Error(`${at}: "${line}": expected "-- name: <topic>/<verb>_<noun>"`)
    } else if (found.length > 0) {
      found.at(-1)!.lines.push(line)
    } else if (line.trim() !== '') {
      throw new Error(`${at}: expected "-- name: <topic>/<verb>_<noun>" before "${line}"`)
    }
  }
  return found.map(({ name, line, lines }) => {
    const body = `${lines.join('\n').trimEnd()}\n`
    if (body.replaceAll(COMMENT, '').trim() === '') {
      throw new Error(`${file}:${line}: statement "${name}" has no text`)
    }
    return { name, text: body, file, line }
  })
}

function isOfTopic(file: string, topic: string): boolean {
  const base = file.slice(file.lastIndexOf('/') + 1, -'.sql'.length)
  return base === topic || base.startsWith(`${topic}-`)
}

/** Fills in fragments and variants. Throws for a name that exists twice, a broken template or an unknown fragment. Pure. */
export function collectStatements(
  named: readonly NamedText[],
  readFragment: (name: string) => string,
): Statements {
  const statements = new Map<string, string>()
  const templates = new Map<string, readonly string[]>()
  const claimed = new Map<string, string>()
  const claim = (name: string, at: string): void => {
    const other = claimed.get(name)
    if (other !== undefined) throw new Error(`${at}: statement "${name}" is also at ${other}`)
    claimed.set(name, at)
  }
  for (const { name, text, file, line } of named) {
    const at = `${file}:${line}`
    claim(name, at)
    const { whole, filled } = located(at, () => {
      const included = includeFragments(text, readFragment)
      return { whole: included, filled: fillTemplate(name, included) }
    })
    if (filled === undefined) statements.set(name, whole)
    else templates.set(name, [...filled.keys()])
    for (const [variant, statement] of filled ?? []) {
      claim(`${name}_${variant}`, at)
      statements.set(`${name}_${variant}`, statement)
    }
  }
  return { statements, templates }
}

function located<Result>(at: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw new Error(`${at}: ${(error as Error).message}`, { cause: error })
  }
}

/** All statements of the program. */
export function loadStatements(): Statements {
  const folder = new URL('../queries/', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const named = files
    .toSorted()
    .flatMap((name) =>
      parseStatements(`sql/queries/${name}`, readFileSync(new URL(name, folder), 'utf8')),
    )
  return collectStatements(named, (name) =>
    readFileSync(new URL(`../fragments/${name}.sql`, import.meta.url), 'utf8'),
  )
}
