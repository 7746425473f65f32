/**
 * The files that each file of the project uses: by an import that remains at run time, by a path in a literal (programs
 * that tests start, documents and data that they read), or as a statement, a fragment or a function of SQL. A statement is
 * a node of its own, which its file uses, too. Approximate: a path that is computed is not seen.
 */
import { basename, dirname, join, normalize } from 'node:path'
import { loadStatements, parseStatements } from '../../../sql/statements/named.ts'
import { isTypeScript, listFiles, readText } from '../sources.ts'

export const STATEMENT_FILE = /^sql\/queries\/[\w-]+\.sql$/

type SqlFunction = { path: string; name: string }
export type Uses = ReadonlyMap<string, readonly string[]>

/** The wrapper of the commands is no TypeScript. */
const BY_HAND: Readonly<Record<string, readonly string[]>> = {
  'deploy/swaptide': ['deploy/cli.ts'],
}
/** Erased at run time. */
const TYPE_IMPORT = /^(?:import|export) type\b[^='"`;]*? from '[^'\n]+'/gm
const LITERAL = /['`]([\w./@-]+)['`]/g
const FUNCTION = /^create (?:or replace )?function (\w+)\(/gm
/** `<topic>/<verb>_<noun>`, with the variant where a test names one of a template. */
const STATEMENT = /^[a-z-]+\/[a-z]+(?:_[a-z0-9]+)+$/
const FRAGMENT = /\{\+(\w+)\}/g

/** By file, from the root. */
export function usesOfFiles(): Uses {
  const paths = listFiles()
  const known = new Set(paths)
  const byName = Map.groupBy(paths.filter(isTypeScript), (path) => basename(path))
  const functions = paths
    .filter((path) => path.startsWith('sql/functions/'))
    .flatMap((path) =>
      Array.from(readText(path).matchAll(FUNCTION), ([, name = '']) => ({ path, name })),
    )
  const usesOf = (path: string): readonly string[] => {
    if (isTypeScript(path)) return usesOfCode(path, known, byName)
    return path.endsWith('.sql') ? usesOfSql(readText(path), functions) : (BY_HAND[path] ?? [])
  }
  const uses = new Map(paths.map((path) => [path, usesOf(path)]))
  for (const file of paths.filter((path) => STATEMENT_FILE.test(path))) {
    const statements = parseStatements(file, readText(file))
    const nodes = statements.map(({ name }) => nodeOf(name))
    uses.set(file, nodes)
    for (const { name, text } of statements) uses.set(nodeOf(name), usesOfSql(text, functions))
  }
  for (const [name, variants] of loadStatements().templates) {
    for (const variant of variants) uses.set(nodeOf(`${name}_${variant}`), [nodeOf(name)])
  }
  return uses
}

/** Statements that a change of a file adds, changes, moves away or deletes, as nodes. Undefined: there is no such file. */
export function changedStatements(file: string, before?: string, after?: string): string[] {
  const [old, own] = [before, after].map(
    (text = '') => new Map(parseStatements(file, text).map((each) => [each.name, each.text])),
  )
  const names = [...new Set([...old!.keys(), ...own!.keys()])]
  return names.filter((name) => old!.get(name) !== own!.get(name)).map(nodeOf)
}

const nodeOf = (statement: string): string => `sql/queries#${statement}`

function usesOfCode(
  path: string,
  known: ReadonlySet<string>,
  byName: ReadonlyMap<string, readonly string[]>,
): string[] {
  const used = new Set<string>()
  for (const [, literal = ''] of readText(path).replaceAll(TYPE_IMPORT, '').matchAll(LITERAL)) {
    const resolved = normalize(join(dirname(path), literal))
    for (const each of [resolved, literal]) {
      if (known.has(each)) used.add(each)
    }
    // A deleted one, too.
    if (STATEMENT.test(literal)) used.add(nodeOf(literal))
    // Imported and deleted.
    if (literal.startsWith('.') && isTypeScript(literal)) used.add(resolved)
    // A program of the tests is named without its folder.
    const programs = literal.includes('/') ? [] : (byName.get(literal) ?? [])
    if (programs.length === 1) used.add(programs[0]!)
  }
  used.delete(path)
  return [...used]
}

function usesOfSql(text: string, functions: readonly SqlFunction[]): string[] {
  const fragments = Array.from(text.matchAll(FRAGMENT), ([, name]) => `sql/fragments/${name}.sql`)
  const called = functions.filter(({ name }) => text.includes(`${name}(`))
  return [...fragments, ...called.map((each) => each.path)]
}
