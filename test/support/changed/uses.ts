/**
 * Which files of the project each of them uses: by an import that remains at run time, by a path in a literal (programs
 * that tests start, documents and data that they read), or as a statement, a fragment or a function of SQL. Approximate:
 * a path that is computed is not seen.
 */
import { basename, dirname, join, normalize } from 'node:path'
import { isTypeScript, listFiles, readText } from '../sources.ts'

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
    return path.endsWith('.sql') ? usesOfStatement(path, functions) : (BY_HAND[path] ?? [])
  }
  return new Map(paths.map((path) => [path, usesOf(path)]))
}

function usesOfCode(
  path: string,
  known: ReadonlySet<string>,
  byName: ReadonlyMap<string, readonly string[]>,
): string[] {
  const used = new Set<string>()
  for (const [, literal = ''] of readText(path).replaceAll(TYPE_IMPORT, '').matchAll(LITERAL)) {
    const resolved = normalize(join(dirname(path), literal))
    for (const each of [resolved, literal, `sql/queries/${literal}.sql`]) {
      if (known.has(each)) used.add(each)
    }
    // Imported and deleted.
    if (literal.startsWith('.') && isTypeScript(literal)) used.add(resolved)
    // A program of the tests is named without its folder.
    const programs = literal.includes('/') ? [] : (byName.get(literal) ?? [])
    if (programs.length === 1) used.add(programs[0]!)
  }
  used.delete(path)
  return [...used]
}

function usesOfStatement(path: string, functions: readonly SqlFunction[]): string[] {
  const text = readText(path)
  const fragments = Array.from(text.matchAll(FRAGMENT), ([, name]) => `sql/fragments/${name}.sql`)
  const called = functions.filter(({ name }) => text.includes(`${name}(`))
  return [...fragments, ...called.map((each) => each.path)]
}
