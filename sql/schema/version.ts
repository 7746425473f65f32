/**
 * The schema of this version: its migrations, in two phases, and the names of sessions, which contain its number.
 *
 * Law: an "expand" migration leaves everything that the version before uses, which runs alongside this one while parts are
 * replaced. Columns and tables that no version uses any longer are removed by a later "contract" migration,
 * NNNN_contract_*.sql, which `migrate` applies once no part is connected that does not have that file. So a part needs
 * the expand migrations of its own version, and no contract migration of a later one.
 *
 * Decision: docs/decisions/0059-expand-then-contract.md
 */
import { readdirSync } from 'node:fs'
import type { Queryable } from '../driver/queryable.ts'
import { query } from '../query.ts'

/** The database cannot be used by this version; the message names the migrations. */
export class SchemaMismatch extends Error {}
/** The database lacks migrations: `migrate` applies them. */
export class SchemaOutdated extends SchemaMismatch {}

const FOLDER = new URL('../migrations/', import.meta.url)
const UNDEFINED_TABLE = '42P01'

const listMigrations = query<{ name: string }>('health/list_migrations')

/** Whether the migration of this name removes something; else it only adds. */
export const isContract = (name: string): boolean => /^\d{4}_contract_/.test(name)

/** The four digits that a migration's name begins with. */
export const numberOf = (name: string): string => name.slice(0, 4)

/** Names of the SQL files of a folder, in order: unless another is given, the migrations of this version. */
export function migrationFiles(folder = FOLDER): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

const MIGRATIONS = migrationFiles()
const NUMBER = numberOf(MIGRATIONS.at(-1) ?? '')

/** The name under which the server lists a session: `swaptide api/0019`, with the number of the newest migration of this version. */
export const sessionName = (name: string): string => `${name}/${NUMBER}`

/** Rejects with SchemaMismatch where this version cannot use the database, or with the database's error. */
export async function expectSchema(db: Queryable, own = MIGRATIONS): Promise<void> {
  const rows = await listMigrations(db).catch((error: { code?: unknown }) => {
    if (error.code !== UNDEFINED_TABLE) throw error
    throw new SchemaOutdated('the database is not migrated: run "swaptide migrate"')
  })
  const applied = new Set(rows.map(({ name }) => name))
  const missing = own.filter((name) => !isContract(name) && !applied.has(name))
  if (missing.length > 0) {
    throw new SchemaOutdated(`migrations are missing: ${missing.join(' ')}: run "swaptide migrate"`)
  }
  expectNoRemovals(applied, own)
}

/** Removals of this version that wait for parts of an older one, or for `migrate`: until then such parts may run. */
export async function waitingRemovals(db: Queryable, own = MIGRATIONS): Promise<string[]> {
  const applied = new Set((await listMigrations(db)).map(({ name }) => name))
  return own.filter((name) => isContract(name) && !applied.has(name))
}

/** Throws SchemaMismatch where the applied migrations have a removal that is not among `own`. */
export function expectNoRemovals(applied: Iterable<string>, own: readonly string[]): void {
  const known = new Set(own)
  const removals = [...applied].filter((name) => isContract(name) && !known.has(name)).sort()
  if (removals.length === 0) return
  throw new SchemaMismatch(
    `a newer version removed parts of the schema that this one uses: ${removals.join(' ')}: ` +
      'start the newer version, or restore a backup that this one made',
  )
}
