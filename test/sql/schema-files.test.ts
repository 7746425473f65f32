/**
 * The texts of sql/migrations and sql/functions: each object is created once and explained where it is created, a
 * released migration's tables are altered by later migrations alone, and functions can be replaced at any time.
 */
import test from 'ava'
import { listFiles, readText } from '../support/sources.ts'

const FILES = listFiles().filter((path) => path.endsWith('.sql'))
const MIGRATIONS = FILES.filter((path) => path.startsWith('sql/migrations/')).sort()
const FUNCTIONS = FILES.filter((path) => path.startsWith('sql/functions/'))
/** The first migrations are the first released schema; later ones change it. */
const SCHEMA = MIGRATIONS.filter((path) => path < 'sql/migrations/0010')

const TABLE = /^create (?:unlogged )?table (\w+)/gm

const namesIn = (path: string, pattern: RegExp): string[] =>
  Array.from(readText(path).matchAll(pattern), ([, name]) => name ?? '')

test('the schema creates its tables, indexes and types once, in their final form', (t) => {
  const created = SCHEMA.flatMap((path) =>
    namesIn(path, /^create (?:unlogged |unique )?(?:table|index|type) (\w+)/gm),
  )
  t.true(created.length > 70)
  t.deepEqual(
    created.filter((name, n) => created.indexOf(name) !== n),
    [],
  )
  const repairs = SCHEMA.flatMap((path) => {
    const own = new Set(namesIn(path, TABLE))
    const altered = namesIn(path, /^\s*alter table (\w+)/gm).filter((name) => !own.has(name))
    const changes = namesIn(
      path,
      /^\s*(drop \w+|delete|update|alter table \w+ (?:add|drop)|insert)\b/gm,
    )
    return [...altered, ...changes].map((what) => `${path}: ${what}`)
  })
  t.deepEqual(repairs, [])
})

test('each table and type has a comment directly above it', (t) => {
  const bare = MIGRATIONS.flatMap((path) => {
    const lines = readText(path).split('\n')
    return lines
      .filter(
        (line, n) =>
          /^create (unlogged )?(table|type) /.test(line) && !lines[n - 1]?.startsWith('-- '),
      )
      .map((line) => `${path}: ${line}`)
  })
  t.deepEqual(bare, [])
})

test('function files hold only functions and triggers to create or replace', (t) => {
  t.true(FUNCTIONS.length > 5)
  const others = FUNCTIONS.flatMap((path) => {
    // Bodies between dollar quotes and of "begin atomic" hold statements of their own.
    const text = readText(path)
      .replaceAll(/\$(\w*)\$.*?\$\1\$/gs, "''")
      .replaceAll(/begin atomic.*?^end;/gms, ';')
      .replaceAll(/--.*/g, '')
    const statements = text.split(';').map((statement) => statement.trim())
    return statements
      .filter(
        (statement) =>
          statement !== '' &&
          !/^create or replace (function|trigger|view|procedure) /.test(statement),
      )
      .map((statement) => `${path}: ${statement}`)
  })
  t.deepEqual(others, [])
})

test('each function is defined in one file', (t) => {
  const names = FUNCTIONS.flatMap((path) => namesIn(path, /^create or replace function (\w+)/gm))
  t.true(names.length > 20)
  t.deepEqual(
    names.filter((name, n) => names.indexOf(name) !== n),
    [],
  )
})
