/**
 * Nothing is in the tree that nothing uses: exports, files, packages, scripts, parts of SQL, styles. Each test lists what it
 * finds. Unused locals, parameters and imports of one file are the compiler's, unused statements are in test/tidy.test.ts.
 */
import test from 'ava'
import { collectStatements, parseStatements } from '../sql/statements/named.ts'
import { exportsOf } from './support/check/exports.ts'
import {
  isTypeScript,
  lineOf,
  listFiles,
  readSources,
  readText,
  targetOf,
} from './support/sources.ts'

const FILES = listFiles()
const SOURCES = readSources()
const EXPORTS = exportsOf(SOURCES)
/** Published on its own: its users are outside the tree. */
const PUBLISHED = /^clients\/typescript\//
/** Generated whole from a document, with every type of it. */
const GENERATED = new Set(['web/console/answers.ts'])
/** Code that lands before its users, with the reason. */
const AHEAD: readonly [file: RegExp, why: string][] = [
  [/^history\/codec\//, 'the reader and the writer of sealed history use it'],
]
/** Packages that no code names, with the reason. */
const UNNAMED: Record<string, string> = {
  '@bull-board/ui': 'the pages that @bull-board/api serves, which requires it as a peer',
}
/** Scripts that npm runs by itself. */
const OF_NPM = new Set(['prepare', 'prepack', 'postpack'])
/** Indexes that no statement of this version relies on, with the reason why they exist. */
const UNNAMED_INDEXES: Record<string, string> = {
  token_symbol: 'of the version before, dropped in the next release',
  token_name: 'of the version before, dropped in the next release',
  api_key_lineage: 'of the version before, dropped in the next release',
}

const isTest = (path: string): boolean => path.startsWith('test/')

test('another file imports each export', (t) => {
  const unused = EXPORTS.filter(
    ({ path, importers }) => importers.size === 0 && !PUBLISHED.test(path) && !GENERATED.has(path),
  )
  t.deepEqual(linesOf(unused), [])
})

test('no export is for tests only', (t) => {
  const unused = EXPORTS.filter(
    ({ path, importers, isUsedInside }) =>
      importers.size > 0 &&
      !isUsedInside &&
      !isTest(path) &&
      !PUBLISHED.test(path) &&
      !AHEAD.some(([file]) => file.test(path)) &&
      [...importers].every(isTest),
  )
  t.deepEqual(linesOf(unused), [])
})

function linesOf(found: typeof EXPORTS): string[] {
  const trees = new Map(SOURCES.map(({ path, tree }) => [path, tree]))
  return found.map(({ path, name, at }) => `${path}:${lineOf(at, trees.get(path)!)} ${name}`)
}

const IS_TEXT = /(^|\/)[^.]+$|\.(tsx?|js|json|sql|css|md|yaml|service|conf|proto|svg)$/
const TEXTS = FILES.filter((path) => IS_TEXT.test(path) && path !== 'package-lock.json').map(
  (path): [string, string] => [path, readText(path)],
)
/** Code and configuration: a name in a document is no use. */
const CODE = TEXTS.filter(([path]) => !/\.md$|^package\.json$|^test\/data\//.test(path))

test('each file of code is imported or named by another one', (t) => {
  const imported = new Set(
    SOURCES.flatMap(({ path, imports }) => imports.map((each) => targetOf(each, path))),
  )
  const unused = FILES.filter(
    (path) => isTypeScript(path) && !path.endsWith('.test.ts') && !imported.has(path),
  ).filter((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    // A document names those that are run by hand.
    const isNamed = TEXTS.some(([other, text]) => other !== path && text.includes(name))
    return !isNamed
  })
  t.deepEqual(unused, [])
})

const manifest = JSON.parse(readText('package.json')) as Record<
  'dependencies' | 'devDependencies' | 'scripts',
  Record<string, string>
>

test('code names each package, or the one whose types it declares', (t) => {
  const unused = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    .filter((name) => UNNAMED[name] === undefined)
    .filter((name) => {
      const named = new RegExp(`['"\`/]${name.replace('@types/', '')}['"\`/]`)
      return !CODE.some(([, text]) => named.test(text))
    })
  t.deepEqual(unused, [])
})

test('a document or a program names each script of npm', (t) => {
  const unused = Object.keys(manifest.scripts)
    .filter((name) => !OF_NPM.has(name))
    .filter((name) => {
      const named = new RegExp(`npm (run )?${name}(?![\\w:])`)
      return !TEXTS.some(([path, text]) => path !== 'package.json' && named.test(text))
    })
  t.deepEqual(unused, [])
})

const sqlOf = (folder: string): [string, string][] =>
  TEXTS.filter(([path]) => path.startsWith(`sql/${folder}/`))

test('a statement includes each fragment', (t) => {
  const included = new Set<string>()
  const named = sqlOf('queries').flatMap(([path, text]) => parseStatements(path, text))
  collectStatements(named, (name) => {
    included.add(name)
    return readText(`sql/fragments/${name}.sql`)
  })
  const unused = sqlOf('fragments').filter(
    ([path]) => !included.has(path.slice('sql/fragments/'.length, -'.sql'.length)),
  )
  t.deepEqual(unused, [])
})

/** SQL without comments. */
const BARE = ['queries', 'fragments', 'functions', 'migrations']
  .flatMap(sqlOf)
  .map(([, text]) => text.replaceAll(/--.*/g, ''))
  .join('\n')

/** How often SQL names something. */
const mentionsOf = (name: string): number =>
  [...BARE.matchAll(new RegExp(`(?<!\\w)${name}(?!\\w)`, 'g'))].length

test('SQL calls each of its functions', (t) => {
  const declared = sqlOf('functions').flatMap(([, text]) =>
    Array.from(text.matchAll(/^create or replace function (\w+)/gm), ([, name = '']) => name),
  )
  t.true(declared.length > 20)
  const times = Map.groupBy(declared, (name) => name)
  const unused = [...times].filter(([name, { length }]) => mentionsOf(name) === length)
  t.deepEqual(
    unused.map(([name]) => name),
    [],
  )
})

test('a statement or a function names each table and view', (t) => {
  const used = ['queries', 'fragments', 'functions']
    .flatMap(sqlOf)
    .map(([, text]) => text.replaceAll(/--.*/g, ''))
  const unused = createdBy(/^create (?:unlogged )?(?:table|view|materialized view) (\w+)/gm).filter(
    (name) => !used.some((text) => new RegExp(`(?<!\\w)${name}(?!\\w)`).test(text)),
  )
  t.deepEqual(unused, [])
})

/** Objects that migrations create, without those that a later one drops. */
function createdBy(pattern: RegExp): string[] {
  const migrations = sqlOf('migrations').map(([, text]) => text)
  const dropped = new Set(
    migrations.flatMap((text) =>
      Array.from(text.matchAll(/^drop \w+ (?:if exists )?(\w+)/gm), ([, name]) => name),
    ),
  )
  return migrations
    .flatMap((text) => Array.from(text.matchAll(pattern), ([, name = '']) => name))
    .filter((name) => !dropped.has(name))
}

test('the header of a statement, a function or code names each index', (t) => {
  const headers = [
    ...['queries', 'fragments', 'functions'].flatMap(sqlOf),
    ...CODE.filter(([path]) => isTypeScript(path) && !isTest(path)),
  ]
  // A unique index is also a rule of its table.
  const indexes = createdBy(/^create index (?:if not exists )?(\w+)/gm)
  t.true(indexes.length > 20)
  const unused = indexes.filter(
    (name) => !headers.some(([, text]) => new RegExp(`(?<!\\w)${name}(?!\\w)`).test(text)),
  )
  t.deepEqual(unused.sort(), Object.keys(UNNAMED_INDEXES).sort())
})

/** Styles without comments, and the pages' code, which names their classes. */
const STYLES = TEXTS.filter(([path]) => path.endsWith('.css')).map(
  ([path, text]): [string, string] => [path, text.replaceAll(/\/\*[\s\S]*?\*\//g, '')],
)
const PAGES = CODE.filter(([path]) => /^(web|api)\/.*\.(tsx?|js)$/.test(path)).map(
  ([, text]) => text,
)

test('pages use each class and custom property of the styles, and styles define what they use', (t) => {
  const all = STYLES.map(([, text]) => text).join('\n')
  const isNamed = (name: string): boolean =>
    PAGES.some((text) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text))
  const defined = new Set(Array.from(all.matchAll(/(--[\w-]+)\s*:/g), ([, name = '']) => name))
  const read = new Set(Array.from(all.matchAll(/var\((--[\w-]+)/g), ([, name = '']) => name))
  const selectors = all.replaceAll(/\{[^{}]*\}/g, '{}')
  // Without the classes of the library of plots.
  const classes = new Set(
    Array.from(selectors.matchAll(/\.((?!u-)[A-Za-z][\w-]*)/g), ([, name = '']) => name),
  )
  t.true(classes.size > 100 && defined.size > 10)
  t.deepEqual([...classes].filter((name) => !isNamed(name)).sort(), [], 'classes')
  t.deepEqual(
    [...defined].filter((name) => !read.has(name) && !isNamed(name)).sort(),
    [],
    'properties',
  )
  t.deepEqual(
    [...read.difference(defined)].filter((name) => !isNamed(name)),
    [],
    'undefined',
  )
})
