/**
 * Brings a database to the schema of this version, in one transaction and one process at a time: migrations/, each file
 * once (forward-only: an edited file is refused); functions/, each file whose text changed, and all of them after a
 * migration, which may drop one that others depend on; then the table `venue` from domain/venue.ts.
 *
 * Files are applied in the order of their names. A migration that removes something waits, with all that follow, until no
 * part of a version without it is connected: schema/version.ts. A function file holds only `create or replace`; other
 * parameters or columns need another name, and a migration that removes drops the function of before. A database of a
 * newer version is not changed, and refused once that version has removed something.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { reportsReserves, VENUES } from '../domain/venue.ts'
import { type Connection, connectSession, type Db, sqlCode } from './db.ts'
import { type Query, query } from './query.ts'
import { expectNoRemovals, isContract, migrationFiles, numberOf } from './schema/version.ts'

type SchemaFile = { name: string; text: string; checksum: string }
type AppliedFile = { name: string; checksum: string }
/** Steps of one call of `migrate`, and the reason for which later ones wait. */
type Plan = { steps: Step[]; waiting: string | undefined }
/** A file to apply, and the statement that records it. */
type Step = { file: SchemaFile; path: string; record: Query<AppliedFile> }

const FOLDER = new URL('./', import.meta.url)
/** lock_not_available and deadlock_detected. */
const LOCKED = new Set(['55P03', '40P01'])
/** With the wait for a lock, two to four minutes. */
const ATTEMPTS_MAX = 120
const ATTEMPT_PAUSE_MS = 1_000
const createMigrationTable = query('migrations/create_migration')
const createFunctionTable = query('migrations/create_function_file')
const lockMigrations = query('migrations/lock_migrations')
const listMigrations = query<AppliedFile>('migrations/list_migrations')
const listFunctions = query<AppliedFile>('migrations/list_function_files')
const insertMigration = query<AppliedFile>('migrations/insert_migration')
const mergeFunction = query<AppliedFile>('migrations/merge_function_file')
const boundLocks = query('migrations/bound_locks')
const listOlderParts = query<{ name: string }>('migrations/list_older_parts')
const mergeVenues = query<{ name: string }>('migrations/merge_venues')

/**
 * `applied`: paths of the files that were applied, as seen from `folder`, which holds `migrations/` and `functions/`, and
 * the names of venues that were written. `waiting`: why a removal is left for a later call. `isNewer`: the database is of
 * a newer version, and was not changed.
 */
type Migrated = { applied: string[]; waiting?: string; isNewer?: true }

/** `applied`: as in Migrated, one of them. `waiting`: what the migration waits for, or why a part of it is left. */
export type MigrationStep = { applied: string } | { waiting: string }

/**
 * Brings the database to the schema of this version; `report` is given each step. Rejects with an Error that names the
 * remedy when the database cannot be migrated.
 */
export async function migrate(
  db: Db,
  report: (step: MigrationStep) => void = () => {},
  folder: URL = FOLDER,
): Promise<Migrated> {
  const connection = await connectSession(db)
  try {
    await lockMigrations(connection)
    await createMigrationTable(connection)
    await createFunctionTable(connection)
    const plan = await planSteps(connection, folder)
    if (plan === undefined) return { applied: [], isNewer: true }
    const applied = await applyPatiently(connection, plan.steps, report)
    for (const name of applied) report({ applied: name })
    if (plan.waiting === undefined) return { applied }
    report({ waiting: plan.waiting })
    return { applied, waiting: plan.waiting }
  } finally {
    // Ends the session: with it go the lock and, after an error, the transaction.
    connection.release(true)
  }
}

/**
 * In one transaction, which is tried again while others hold locks that it needs: it never holds up the parts that run for
 * longer than one wait for a lock.
 */
async function applyPatiently(
  connection: Connection,
  steps: readonly Step[],
  report: (step: MigrationStep) => void,
): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applySteps(connection, steps)
    } catch (error) {
      if (!LOCKED.has(sqlCode(error) ?? '')) throw error
      await connection.query('rollback')
      if (attempt === ATTEMPTS_MAX) {
        throw new Error(
          `other sessions held locks for ${attempt} attempts: end long transactions, which ` +
            '"select pid, application_name, query from pg_stat_activity order by xact_start" lists, and migrate again',
          { cause: error },
        )
      }
      if (attempt === 1) report({ waiting: 'waiting for locks that other sessions hold' })
      await pause(ATTEMPT_PAUSE_MS)
    }
  }
}

async function applySteps(connection: Connection, steps: readonly Step[]): Promise<string[]> {
  await connection.query('begin')
  await boundLocks(connection)
  for (const { file, record } of steps) {
    await connection.query(file.text)
    await record(connection, [file.name, file.checksum])
  }
  const venues = await mergeVenues(connection, venueColumns())
  await connection.query('commit')
  return [...steps.map(({ path }) => path), ...venues.map(({ name }) => name)]
}

/** A file that `migrate` would apply, with the first sentence of its header. */
type PendingFile = {
  path: string
  about: string
  /** `expand` and functions: alongside the version before. `contract`: once no part of it is connected. */
  phase: 'expand' | 'contract'
}
/** `waiting`: why removals are left for a later call. */
type Pending = { files: PendingFile[]; waiting?: string }

/**
 * Lists what `migrate` would apply, and changes nothing; undefined for a database of a newer version. Rejects as
 * `migrate` does.
 */
export async function listPending(db: Db, folder: URL = FOLDER): Promise<Pending | undefined> {
  const connection = await db.connect()
  try {
    await connection.query('begin')
    await createMigrationTable(connection)
    await createFunctionTable(connection)
    const plan = await planSteps(connection, folder)
    if (plan === undefined) return undefined
    const files = plan.steps.map(({ path, file }) => ({
      path,
      about: firstSentence(file.text),
      phase: isContract(path) ? ('contract' as const) : ('expand' as const),
    }))
    return plan.waiting === undefined ? { files } : { files, waiting: plan.waiting }
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

/** Undefined for a database of a newer version. Rejects with SchemaMismatch where that one removed something. */
async function planSteps(connection: Connection, folder: URL): Promise<Plan | undefined> {
  const migrations = readFiles(new URL('migrations/', folder))
  const known = checksumsOf(await listMigrations(connection))
  if (isOfNewerVersion(migrations, known)) {
    const own = migrations.map(({ name }) => name)
    expectNoRemovals(known.keys(), own)
    return undefined
  }
  const lacking = migrations.filter((file) => isPending(file, known))
  // A database without a schema has no parts.
  const held = known.size === 0 ? undefined : await findHeld(connection, lacking)
  const pending = held === undefined ? lacking : lacking.slice(0, held.at)
  const applied = checksumsOf(await listFunctions(connection))
  const functions = readFiles(new URL('functions/', folder)).filter(
    ({ name, checksum }) => pending.length > 0 || applied.get(name) !== checksum,
  )
  const steps = [
    ...pending.map((file) => ({ file, path: file.name, record: insertMigration })),
    ...functions.map((file) => ({ file, path: `functions/${file.name}`, record: mergeFunction })),
  ]
  return { steps, waiting: held?.reason }
}

/** The first removal that parts of older versions forbid. Throws where this version needs a migration after it. */
async function findHeld(
  connection: Connection,
  lacking: readonly SchemaFile[],
): Promise<{ at: number; reason: string } | undefined> {
  for (const [at, { name }] of lacking.entries()) {
    if (!isContract(name)) continue
    const older = await listOlderParts(connection, [numberOf(name)])
    if (older.length === 0) continue
    const reason =
      `${name} waits for parts of an older version to end: ` +
      older.map((part) => `"${part.name}"`).join(', ')
    const needed = lacking.slice(at).find((file) => !isContract(file.name))
    if (needed === undefined) return { at, reason: `${reason}: migrate again then` }
    throw new Error(
      `${reason}, and this version needs ${needed.name} after it: stop them first, or upgrade to each version in turn`,
    )
  }
  return undefined
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
      `the database was migrated by a newer version, or by one that was never released: its migration "${first}" does not ` +
        'exist in this one: start that version, restore a backup that this one made, or begin with a new SWAPTIDE_HOME ' +
        'or an empty database and ingest the events again',
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
  return migrationFiles(folder).map((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
  })
}

function checksumsOf(files: readonly AppliedFile[]): Map<string, string> {
  return new Map(files.map(({ name, checksum }) => [name, checksum]))
}
