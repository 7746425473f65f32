/**
 * The texts of sql/migrations and sql/functions: each object is created once and explained where it is created, a
 * released migration's tables are altered by later migrations only, and functions can be replaced at any time.
 */
import test from 'ava'
import { isContract } from '../../sql/schema/version.ts'
import { listFiles, readText } from '../support/sources.ts'

const FILES = listFiles().filter((path) => path.endsWith('.sql'))
const MIGRATIONS = FILES.filter((path) => path.startsWith('sql/migrations/')).sort()
const FUNCTIONS = FILES.filter((path) => path.startsWith('sql/functions/'))
/** The first migrations are the first released schema; later ones change it. */
const SCHEMA = MIGRATIONS.filter((path) => path < 'sql/migrations/0010')

/** The first migration after versions of the program could run side by side. */
const FIRST_IN_PHASES = 'sql/migrations/0020'

/** Changes after which the version before fails, or writes what this one does not expect. */
const REMOVALS: readonly RegExp[] = [
  // A constraint that is dropped, or a NOT NULL, forbids less than before.
  /\bdrop (?!constraint\b|not null\b)(if exists )?\w+/,
  /\brename\b/,
  /\balter (column )?\w+ (set data )?type\b/,
  /\bset not null\b/,
  /\badd (column )?(?!constraint\b)\w+ [^,;]*\bnot null\b(?![^,;]*\bdefault\b)(?<!\bdefault\b[^,;]*)/,
  /\badd (constraint \w+ )?(unique|primary key|foreign key|exclude)\b/,
  /\btruncate\b/,
  /\bdelete from\b/,
]

/** Removals of a migration, except those of tables that it creates itself. */
function removalsIn(text: string): string[] {
  const statements = text.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ').split(';')
  const own = new Set(
    Array.from(text.matchAll(/^create (?:unlogged )?table (\w+)/gm), ([, name]) => name),
  )
  return statements
    .map((statement) => statement.trim())
    .filter((statement) => !own.has(/^alter table (\w+)/.exec(statement)?.[1]))
    .filter((statement) => !/^create (unlogged )?table /.test(statement))
    .filter((statement) => REMOVALS.some((removal) => removal.test(statement)))
}

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

const STATEMENTS: [text: string, isRemoval: boolean][] = [
  ['alter table swap add column wide integer', false],
  ['alter table swap add column wide integer not null default 0', false],
  ['alter table swap add column wide integer default 0 not null', false],
  ['alter table swap add column one integer default 0, add column two integer not null', true],
  ['alter table swap add column wide integer not null', true],
  ['alter table swap add wide integer not null', true],
  ['alter table swap drop column fee', true],
  ['alter table swap drop fee', true],
  ['alter table swap alter column fee drop not null', false],
  ['alter table swap alter column fee set not null', true],
  ['alter table swap alter column fee type numeric', true],
  ['alter table swap alter fee set data type numeric', true],
  ['alter table swap rename column fee to paid', true],
  ['alter table swap drop constraint swap_fee_check', false],
  ['alter table swap add constraint swap_fee_check check (fee >= 0) not valid', false],
  ['alter table swap add constraint swap_once unique (signature)', true],
  ['drop function estimated_traders(bigint, integer)', true],
  ['drop index if exists swap_order', true],
  ['create index swap_wide on swap (wide)', false],
  ['create table later (id integer not null)', false],
  ['create table later (id integer);\nalter table later alter column id set not null', false],
  ['truncate chart_day', true],
  ['delete from chart_day', true],
]

test('a removal is recognized by its statement', (t) => {
  for (const [text, isRemoval] of STATEMENTS) t.is(removalsIn(text).length > 0, isRemoval, text)
})

test('a migration that removes something is named a contract', (t) => {
  const wrong = MIGRATIONS.filter((path) => path >= FIRST_IN_PHASES)
    .filter((path) => !isContract(path.slice('sql/migrations/'.length)))
    .flatMap((path) => removalsIn(readText(path)).map((statement) => `${path}: ${statement}`))
  t.deepEqual(wrong, [])
})

/** Removals of versions that were released; the migrations after them are of later releases. */
const RELEASED_REMOVALS: readonly string[] = []

test('a removal is the last migration of its release', (t) => {
  // A removal waits for processes of the previous version, and all later migrations wait with it.
  const names = MIGRATIONS.map((path) => path.slice('sql/migrations/'.length))
  const first = names.findIndex((name) => isContract(name) && !RELEASED_REMOVALS.includes(name))
  const after = first === -1 ? [] : names.slice(first)
  t.deepEqual(
    after.filter((name) => !isContract(name)),
    [],
  )
})
