/**
 * Makes a backup of the embedded stack while it runs: a base backup of PostgreSQL with the log that was written
 * meanwhile, and the files of the home that open it. NATS and Redis are left out: SWAP is ingested again, FEED
 * begins another epoch, and Redis holds queued jobs, limits and caches.
 * Decision: docs/decisions/0062-a-backup-is-the-database-and-its-keys.md
 *
 * Law: the manifest is the last file that is written, after all others are on disk. A failure removes what was made.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, rmdir, stat, statfs } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { readProgram } from '../../api/resources/health/program.ts'
import type { CoverageRow } from '../../sql/coverage.ts'
import type { DatabaseSeen } from '../../workers/recovery.ts'
import { grouped } from '../cli/format.ts'
import { unprivileged } from '../local/account.ts'
import { readDurable, writeDurable } from '../local/files/durable-file.ts'
import {
  BACKUP_VERSION,
  type BackedUp,
  HOME,
  HOME_FILES,
  MANIFEST,
  type Manifest,
  POSTGRES,
  STACK_FILE,
} from './manifest.ts'

/** The database before it is copied. */
export type StateBefore = {
  database: DatabaseSeen
  /** Slots whose events the database holds, and the moment of publishing up to which it does. */
  covered: readonly CoverageRow[]
  readUpToMs: number
}

type BackupSource = {
  home: string
  stateBefore: () => Promise<StateBefore>
  /** Paths of pg_basebackup and of setpriv, through which it is started, and the environment that connects it. */
  program: string
  setpriv: string
  variables: Readonly<Record<string, string>>
  now: () => number
  signal: AbortSignal
  onProgress: (done: number, all: number) => void
}

const KIB = 1024
/** Log that the server writes while it is copied, or when it starts on the copy. */
const LOG_ROOM_BYTES = 64 * KIB * KIB
/** Last lines of a program that are enough to see why it failed. */
const LINES_MAX = 4

export async function makeBackup(folder: string, source: BackupSource): Promise<Manifest> {
  const { home } = source
  const isMade = await claimFolder(folder, home)
  try {
    const found = await folderSize(join(home, POSTGRES))
    await expectRoom(folder, found.bytes, 'name a folder on another one')
    const { database, covered, readUpToMs } = await source.stateBefore()
    const createdMs = source.now()
    await copyDatabase(join(folder, POSTGRES), source)
    const listed = [...(await copyHome(folder, home)), ...(await unlisted(folder))]
    const copied = await folderSize(folder)
    const { name, version, schema } = readProgram()
    const manifest: Manifest = {
      backup_version: BACKUP_VERSION,
      created_ms: createdMs,
      program: { name, version, schema },
      database: {
        postgres_version: await postgresVersion(folder),
        system_identifier: database.systemIdentifier,
        committed_ms: database.committedAt?.getTime() ?? null,
        read_up_to_ms: readUpToMs,
      },
      coverage: covered,
      ...copied,
      listed,
    }
    source.signal.throwIfAborted()
    await writeDurable(join(folder, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`)
    return manifest
  } catch (failure) {
    for (const name of [POSTGRES, HOME]) {
      await rm(join(folder, name), { recursive: true, force: true })
    }
    if (isMade) await rmdir(folder).catch(() => {})
    throw failure
  }
}

/** Throws where the file system of the folder has no room for so many bytes and some log. */
export async function expectRoom(folder: string, size: number, instead: string): Promise<void> {
  const bytes = size + LOG_ROOM_BYTES
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= bytes) return
  throw new Error(
    `"${folder}" has no room: ${grouped(bytes)} bytes are needed, ${grouped(free)} are free; free some, or ${instead}`,
  )
}

/** Makes the folder; true if it is new. Throws where it cannot hold a backup of the home. */
async function claimFolder(folder: string, home: string): Promise<boolean> {
  if (`${resolve(folder)}${sep}`.startsWith(`${resolve(home)}${sep}`)) {
    throw new Error(
      `"${folder}" lies in the home "${home}" and would be lost with it: name a folder elsewhere`,
    )
  }
  const made = await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause: Error) => {
    throw new Error(`"${folder}" cannot be used: ${cause.message}`, { cause })
  })
  const names = await readdir(folder)
  if (names.length === 0) return made !== undefined
  const found = names.includes(MANIFEST)
    ? 'holds a backup already: name a new folder'
    : names.includes(POSTGRES)
      ? `holds a backup that was interrupted (it has no ${MANIFEST}): remove the folder, or name a new one`
      : 'is not empty: name a new folder, or an empty one'
  throw new Error(`"${folder}" ${found}`)
}

/**
 * Runs the program of its arguments and exits as it does; at SIGTERM it ends its whole process group. The death of this
 * process reaches its child only, and pg_basebackup does not end the process that receives the log for it.
 */
const ENDS_ITS_GROUP = 'trap "trap - TERM; kill -TERM 0" TERM; "$@" & wait $!'

/** PostgreSQL flushes what it has written to disk before it ends. */
async function copyDatabase(folder: string, source: BackupSource): Promise<void> {
  const { program, setpriv, variables, signal, onProgress } = source
  signal.throwIfAborted()
  const options = ['--wal-method=stream', '--checkpoint=fast', '--manifest-checksums=SHA256']
  const child = spawn(
    setpriv,
    [
      // Ends with this process: nothing may write into a folder that seems to be abandoned.
      ...unprivileged(undefined, 'SIGTERM'),
      ...['sh', '-c', ENDS_ITS_GROUP, 'sh', program],
      ...[`--pgdata=${folder}`, ...options, '--progress', '--no-password'],
    ],
    { env: { ...variables, LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  )
  const stop = (): void => endGroup(child.pid)
  signal.addEventListener('abort', stop, { once: true })
  const complaints: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    const [, done, all] = /^\s*(\d+)\/(\d+) kB/.exec(line) ?? []
    if (done === undefined) complaints.push(line)
    else onProgress(Number(done) * KIB, Number(all) * KIB)
  })
  try {
    const ending = await new Promise<string>((ended, failed) => {
      child.once('error', failed)
      child.once('close', (code, by) => ended(String(code ?? by)))
    })
    signal.throwIfAborted()
    if (ending === '0') return
    const output = complaints.slice(-LINES_MAX).join('; ')
    throw new Error(`the database was not copied (pg_basebackup ended with ${ending}): ${output}`)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** All processes of the copy: pg_basebackup may end without the one that receives the log, which it has just started. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGTERM')
  } catch (failure) {
    // Ended meanwhile, as intended.
    if ((failure as NodeJS.ErrnoException).code !== 'ESRCH') throw failure
  }
}

async function copyHome(folder: string, home: string): Promise<BackedUp[]> {
  await mkdir(join(folder, HOME), { mode: 0o700 })
  const copied: BackedUp[] = []
  for (const name of HOME_FILES) {
    const text = await readDurable(join(home, name))
    if (text === undefined && name === STACK_FILE) {
      throw new Error(`"${join(home, name)}" is missing: without it no backup can be opened`)
    }
    if (text === undefined) continue
    await writeDurable(join(folder, HOME, name), text)
    copied.push(await hashed(folder, join(HOME, name)))
  }
  return copied
}

/** PostgreSQL's own manifest and the segments of the log, which it does not list. */
async function unlisted(folder: string): Promise<BackedUp[]> {
  const log = join(POSTGRES, 'pg_wal')
  const entries = await readdir(join(folder, log), { withFileTypes: true })
  const segments = entries.filter((entry) => entry.isFile()).map(({ name }) => join(log, name))
  const found: BackedUp[] = []
  for (const name of [join(POSTGRES, 'backup_manifest'), ...segments.sort()]) {
    found.push(await hashed(folder, name))
  }
  return found
}

async function hashed(folder: string, name: string): Promise<BackedUp> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(join(folder, name))) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { name, bytes, sha256: hash.digest('hex') }
}

async function postgresVersion(folder: string): Promise<string> {
  return (await readFile(join(folder, POSTGRES, 'PG_VERSION'), 'utf8')).trim()
}

/** Files of a running server come and go. */
async function folderSize(folder: string): Promise<Pick<Manifest, 'files' | 'bytes'>> {
  let [files, bytes] = [0, 0]
  for (const name of await readdir(folder, { recursive: true })) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (!found?.isFile()) continue
    files += 1
    bytes += found.size
  }
  return { files, bytes }
}
