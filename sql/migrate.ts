/**
 * Brings a database to the schema of this version, in one transaction and one process at a time: migrations/, each file
 * once (forward-only: an edited file is refused); functions/, each file whose text changed, and all of them after a
 * migration, which may drop one that others depend on; then the table `venue` from domain/venue.ts.
 *
 * Files are applied in the order of their names. A function file holds only `create or replace`; a migration drops
 * functions where that cannot change them (parameters, columns of a result, a removal). A database of a newer version
 * is not changed.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { reportsReserves, VENUES } from '../domain/venue.ts'
import { type Connection, connectSession, type Db } from './db.ts'
import { type Query, query } from './query.ts'

type SchemaFile = { name: string; text: string; checksum: string }
type AppliedFile = { name: string; checksum: string }
/** A file to apply, and the statement that records it. */
type Step = { file: SchemaFile; path: string; record: Query<AppliedFile> }

const FOLDER = new URL('./', import.meta.url)
const createMigrationTable = query('migrations/create_migration')
const createFunctionTable = query('migrations/create_function_file')
const lockMigrations = query('migrations/lock_migrations')
const listMigrations = query<AppliedFile>('migrations/list_migrations')
const listFunctions = query<AppliedFile>('migrations/list_function_files')
const insertMigration = query<AppliedFile>('migrations/insert_migration')
const mergeFunction = query<AppliedFile>('migrations/merge_function_file')
const mergeVenues = query<{ name: string }>('migrations/merge_venues')

/**
 * Resolves to the paths of the files that were applied, as seen from `folder`, which holds `migrations/` and
 * `functions/`, and the names of venues that were written. Rejects with an Error that names the remedy when the
 * database cannot be migrated.
 */
export async function migrate(
  db: Db,
  log: (line: string) => void = () => {},
  folder: URL = FOLDER,
): Promise<string[]> {
  const connection = await connectSession(db)
  try {
    await lockMigrations(connection)
    await createMigrationTable(connection)
    await createFunctionTable(connection)
    const steps = await listSteps(connection, folder)
    if (steps === undefined) return []
    await connection.query('begin')
    for (const { file, record } of steps) {
      await connection.query(file.text)
      await record(connection, [file.name, file.checksum])
    }
    const venues = await mergeVenues(connection, venueColumns())
    await connection.query('commit')
    const applied = [...steps.map(({ path }) => path), ...venues.map(({ name }) => name)]
    for (const name of applied) log(`applied ${name}`)
    return applied
  } finally {
    // Ends the session: with it go the lock and, after an error, the transaction.
    connection.release(true)
  }
}

/** A file that `migrate` would apply, with the first sentence of its header. */
export type PendingFile = { path: string; about: string }

/**
 * Lists what `migrate` would apply, and changes nothing; undefined for a database of a newer version. Rejects as
 * `migrate` does.
 */
export async function listPending(
  db: Db,
  folder: URL = FOLDER,
): Promise<PendingFile[] | undefined> {
  const connection = await db.connect()
  try {
    await connection.query('begin')
    await createMigrationTable(connection)
    await createFunctionTable(connection)
    const steps = await listSteps(connection, folder)
    return steps?.map(({ path, file }) => ({ path, about: firstSentence(file.text) }))
  } finally {
    // Ends the session: with it goes the transaction.
    connection.release(true)
  }
}

function firstSentence(text: string): string {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => !line.startsWith('--'))
  const header = lines.slice(0, end).map((line) => line.slice(2).trim())
  return header.join(' ').split(/(?<=[.:])\s/)[0] ?? ''
}

/** Undefined for a database of a newer version. */
async function listSteps(connection: Connection, folder: URL): Promise<Step[] | undefined> {
  const migrations = readFiles(new URL('migrations/', folder))
  const known = checksumsOf(await listMigrations(connection))
  if (isOfNewerVersion(migrations, known)) return undefined
  const pending = migrations.filter((file) => isPending(file, known))
  const applied = checksumsOf(await listFunctions(connection))
  const functions = readFiles(new URL('functions/', folder)).filter(
    ({ name, checksum }) => pending.length > 0 || applied.get(name) !== checksum,
  )
  return [
    ...pending.map((file) => ({ file, path: file.name, record: insertMigration })),
    ...functions.map((file) => ({ file, path: `functions/${file.name}`, record: mergeFunction })),
  ]
}

/** Throws for a database whose migrations are not an earlier or later state of these files. */
function isOfNewerVersion(
  files: readonly SchemaFile[],
  known: ReadonlyMap<string, string>,
): boolean {
  const names = new Set(files.map(({ name }) => name))
  const newest = files.at(-1)?.name ?? ''
  const foreign = [...known.keys()].filter((name) => !names.has(name)).sort()
  const [first] = foreign
  if (first !== undefined && first < newest) {
    throw new Error(
      `the database was migrated by an unreleased version: its migration "${first}" does not exist in this one; ` +
        'start with an empty database or a new SWAPTIDE_HOME and ingest the events again',
    )
  }
  return first !== undefined
}

function isPending({ name, checksum }: SchemaFile, known: ReadonlyMap<string, string>): boolean {
  const applied = known.get(name)
  if (applied === undefined || applied === checksum) return applied === undefined
  throw new Error(
    `migration "${name}" was edited after it was applied: restore its text and write a new migration instead`,
  )
}

/** The parameters of migrations/merge_venues. */
function venueColumns(): unknown[][] {
  return [
    VENUES.map(({ dex }) => dex),
    VENUES.map(({ name }) => name),
    VENUES.map(({ dex }) => reportsReserves(dex)),
    VENUES.map(({ unreportedSol }) => unreportedSol?.lamports ?? null),
    VENUES.map(({ unreportedSol }) => unreportedSol?.migratedFromMs ?? null),
  ]
}

function readFiles(folder: URL): SchemaFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, folder), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}

function checksumsOf(files: readonly AppliedFile[]): Map<string, string> {
  return new Map(files.map(({ name, checksum }) => [name, checksum]))
}
