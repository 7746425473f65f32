/**
 * What a program can check of the project's style, second part: left-overs, foreign names, dependencies and
 * SQL. Each test lists every offence.
 */
import test from 'ava'
import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isStringLiteral,
} from 'typescript/unstable/ast/is'
import {
  listFiles,
  nodesOf,
  offences,
  readSources,
  readText,
  type Source,
  startOf,
  textOf,
} from './support/sources.ts'

const FILES = listFiles()
const SOURCES = readSources()
const PRODUCT = SOURCES.filter(({ path }) => !path.startsWith('test/'))
const SQL = FILES.filter((path) => path.endsWith('.sql'))

test('no file has left-overs, gags or skips without a reason', (t) => {
  // In pieces, so that this file does not find itself.
  const banned = new RegExp(
    [
      '\\bTO',
      'DO\\b|\\bFIX',
      'ME\\b|\\bas a',
      'ny\\b|@ts-(ig',
      'nore|no',
      'check)|biome-ig',
      'nore',
    ].join(''),
  )
  const leftOvers = FILES.filter((path) => /\.(ts|sql|sh|ya?ml)$/.test(path)).flatMap((path) =>
    linesOf(path)
      .filter(({ line }) => banned.test(line))
      .map(({ number, line }) => `${path}:${number} ${line.trim()}`),
  )
  const skips = offences(SOURCES, function* ({ tree }) {
    for (const node of nodesOf(tree)) {
      if (!isPropertyAccessExpression(node)) continue
      if (!isIdentifier(node.expression) || node.expression.text !== 'test') continue
      const at = startOf(node, tree)
      if (/^(only|todo|failing)$/.test(node.name.text)) yield { at, what: textOf(node, tree) }
      if (node.name.text !== 'skip') continue
      const holder = isCallExpression(node.parent) ? textOf(node.parent, tree) : tree.text
      if (!/skipped: \S/.test(holder))
        yield { at, what: 'skips without "skipped: <why>" in the name' }
    }
  })
  t.deepEqual([...leftOvers, ...skips], [])
})

function linesOf(path: string): { number: number; line: string }[] {
  return readText(path)
    .split('\n')
    .map((line, index) => ({ number: index + 1, line }))
}

test('no file names a folder of one machine or a host of packages', (t) => {
  const banned =
    /(?<![\w.])\/([w]ork|[f]arm|[r]oot|[h]ome\/\w+)\/|\b(registry|mirror|deb|security|archive|ftp)\.(?!example)[a-z0-9-]+\.(org|com|net|io)\b/
  const wrong = FILES.filter((path) =>
    /\.(ts|sql|md|json|ya?ml|sh)$|^[^.]*$|ignore$|rc$/.test(path),
  ).flatMap((path) =>
    linesOf(path)
      .filter(({ line }) => banned.test(line))
      .map(({ number, line }) => `${path}:${number} ${line.trim()}`),
  )
  t.deepEqual(wrong, [])
})

test('dependencies are pinned and the lock file names no host', (t) => {
  const { dependencies, devDependencies } = JSON.parse(readText('package.json'))
  const loose = Object.entries<string>({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
    .map(([name]) => name)
  t.deepEqual(loose, [])
  t.notRegex(readText('package-lock.json'), /"resolved":/)
})

test('SQL files are lower case, say what they are and hold one statement', (t) => {
  const wrong = SQL.flatMap((path) => {
    const text = readText(path)
    const isQuery = path.startsWith('sql/queries/')
    const name = path.slice(path.indexOf('/', 4) + 1)
    // Comments, texts and quoted names may hold capitals.
    const statement = text.replaceAll(/--.*|'(?:[^']|'')*'|"[^"]*"/g, '')
    const named = isQuery
      ? /^[a-z_-]+\/[a-z]+(_[a-z0-9]+)+\.sql$/.test(name)
      : /^\d{4}_[a-z]+(_[a-z]+)*\.sql$/.test(name)
    return [
      named
        ? ''
        : `${path} is not named ${isQuery ? '<feature>/<verb>_<noun>' : 'NNNN_<what>'}.sql`,
      text.startsWith('-- ') ? '' : `${path} has no header`,
      /[A-Z]/.test(statement) ? `${path} is not lower case` : '',
      isQuery && /;\s*\S/.test(statement) ? `${path} holds several statements` : '',
    ].filter(Boolean)
  })
  t.deepEqual(wrong, [])
})

test('every query file is used by a query() and every query() has its file', (t) => {
  const used = new Set(PRODUCT.flatMap((source) => [...queriesOf(source)]))
  const there = new Set(
    SQL.filter((path) => path.startsWith('sql/queries/')).map((path) =>
      path.slice('sql/queries/'.length, -'.sql'.length),
    ),
  )
  t.deepEqual([...there.difference(used)], [], 'files that nothing uses')
  t.deepEqual([...used.difference(there)], [], 'queries without a file')
})

function* queriesOf({ tree }: Source): Generator<string> {
  for (const node of nodesOf(tree)) {
    if (!isCallExpression(node) || !isIdentifier(node.expression)) continue
    const [path] = node.arguments
    if (node.expression.text === 'query' && path && isStringLiteral(path)) yield path.text
  }
}
