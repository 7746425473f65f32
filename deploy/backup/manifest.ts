/**
 * The folder of a backup, and its manifest:
 *
 *   manifest.json        version, schema, time, contents; written last: a folder without it holds no whole backup
 *   postgres/            base backup with the log that it needs; its own backup_manifest has the SHA-256 of each file
 *   home/                files of SWAPTIDE_HOME that open the database: passwords and keys, 0600
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Program } from '../../api/resources/health/program.ts'
import type { CoverageRow } from '../../sql/coverage.ts'
import { migrationFiles } from '../../sql/schema/version.ts'
import { parseDurable } from '../local/files/durable-file.ts'
import { POSTGRES_VERSION } from '../local/packages/prefix.ts'

export const MANIFEST = 'manifest.json'
export const POSTGRES = 'postgres'
export const HOME = 'home'
export const STACK_FILE = 'stack.json'
/** Files of a home that no restart can make again as they were; all but the first may be absent. */
export const HOME_FILES = [STACK_FILE, 'key', 'operator-key', 'webhook-key'] as const
/** Raised when a reader of backups must change. */
export const BACKUP_VERSION = 1

/** A file by its path in the backup. */
export type BackedUp = { name: string; bytes: number; sha256: string }

export type Manifest = {
  backup_version: number
  created_ms: number
  program: Pick<Program, 'name' | 'version' | 'schema'>
  database: {
    postgres_version: string
    system_identifier: string
    /** The newest commit of a lane when the backup began; it holds that and later ones. Null: no lane had committed. */
    committed_ms: number | null
    /** The backup includes all that was published up to this time. */
    read_up_to_ms: number
  }
  /** Slots whose events the database holds; its own table may count more (covered.ts). */
  coverage: readonly CoverageRow[]
  files: number
  bytes: number
  /** Files that PostgreSQL's backup_manifest does not list, and that manifest. */
  listed: readonly BackedUp[]
}

/** The manifest of a whole backup that this version can restore. Throws an Error with the reason otherwise. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readText(join(folder, MANIFEST))
  if (text === undefined) {
    throw new Error(
      `"${folder}" has no ${MANIFEST}: it is not the folder of a backup, or the backup was interrupted; ` +
        'name the folder of a whole one',
    )
  }
  const manifest = parseDurable<Partial<Manifest> | null>(text)
  const version = manifest?.backup_version
  if (!manifest || version === undefined) throw broken(folder)
  if (version !== BACKUP_VERSION) {
    throw new Error(
      `"${folder}" has the format ${version} of backups, expected ${BACKUP_VERSION}: restore it with Swaptide ` +
        `${manifest.program?.version ?? 'of the version that made it'}`,
    )
  }
  if (!isComplete(manifest)) throw broken(folder)
  const { schema, version: made } = manifest.program
  if (!migrationFiles().includes(`${schema}.sql`)) {
    throw new Error(
      `"${folder}" has the schema "${schema}", which this version does not know: restore it with Swaptide ${made} or newer`,
    )
  }
  const { postgres_version: postgres } = manifest.database
  if (postgres !== POSTGRES_VERSION) {
    throw new Error(
      `"${folder}" is of PostgreSQL ${postgres}, expected ${POSTGRES_VERSION}: restore it with Swaptide ${made}`,
    )
  }
  return manifest
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new Error(`"${path}" cannot be read: ${message}`, { cause })
  }
}

const broken = (folder: string): Error =>
  new Error(
    `"${join(folder, MANIFEST)}" is not the manifest of a backup, or is broken: name the folder of a whole one`,
  )

/** One that was edited by hand may lack anything. */
function isComplete(manifest: Partial<Manifest>): manifest is Manifest {
  const { program, database, bytes, created_ms: created, coverage, listed } = manifest
  const numbers = [
    ...[bytes, created, database?.read_up_to_ms],
    ...(Array.isArray(listed) ? listed.map((each) => each.bytes) : []),
  ]
  const texts = [program?.schema, program?.version, database?.postgres_version]
  return (
    Array.isArray(listed) &&
    Array.isArray(coverage) &&
    numbers.every((each) => typeof each === 'number') &&
    texts.every((each) => typeof each === 'string')
  )
}
