/**
 * Restores a backup into a new home, so that the next `up` starts on it. Every file is compared with the SHA-256 of
 * the backup while it is copied, and the servers start once before the home has anything.
 *
 * Law: all is made in the folder `restoring`, then moved: the database first, and `stack.json`, without which `up`
 * refuses a database, last. A failure removes what was made; a kill leaves a home that has no database or that `up`
 * refuses, and that a second restore reports. The home is locked until the end. Webhooks are paused before the first
 * `up`, because the installation of the backup may still send to the same endpoints.
 * Decision: docs/decisions/0072-a-restored-installation-pauses-webhooks.md
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pauseWebhooks } from '../../api/webhooks/store.ts'
import { CLI_ACTOR } from '../cli/command.ts'
import { runCommand } from '../local/command.ts'
import { parseDurable, syncFolder, writeDurable } from '../local/files/durable-file.ts'
import { lockFolder } from '../local/files/lock.ts'
import { HomeInUse, type Stack } from '../local/stack.ts'
import type { StackState } from '../local/state.ts'
import { withDatabase } from '../processes/connections.ts'
import { expectRoom } from './backup.ts'
import { restoreCoverage } from './covered.ts'
import {
  type BackedUp,
  HOME,
  HOME_FILES,
  type Manifest,
  POSTGRES,
  readManifest,
  STACK_FILE,
} from './manifest.ts'

type RestoreOptions = {
  home: string
  pausesWebhooks: boolean
  /** The search path of programs, and nothing else. */
  env: Readonly<Record<string, string>>
  /** Starts the servers of a home. */
  start: (home: string) => Promise<Stack>
  signal: AbortSignal
  onProgress: (done: number, all: number) => void
}

/** The part of PostgreSQL's manifest that is read here. */
type ServerManifest = { Files: { Path: string; Size: number; Checksum: string }[] }

const SCRATCH = 'restoring'

type Restored = { manifest: Manifest; webhooksPaused: number }

export async function restoreBackup(folder: string, options: RestoreOptions): Promise<Restored> {
  const manifest = await readManifest(folder)
  const files = await filesOf(folder, manifest)
  const { home } = options
  const isMade = (await mkdir(home, { recursive: true })) !== undefined
  const lock = await lockFolder(home)
  const names = await readdir(home)
  if (lock === undefined) throw new HomeInUse(home, undefined)
  try {
    if (names.length > 0) throw new Error(refusalOf(home, names))
    const scratch = join(home, SCRATCH)
    const webhooksPaused = await restoreInto(scratch, folder, manifest, files, options).catch(
      async (failure) => {
        for (const name of await readdir(home)) await rm(join(home, name), { recursive: true })
        if (isMade) await rmdir(home).catch(() => {})
        throw failure
      },
    )
    return { manifest, webhooksPaused }
  } finally {
    await lock.release()
  }
}

/** Result: webhooks that were paused. */
async function restoreInto(
  scratch: string,
  folder: string,
  manifest: Manifest,
  files: readonly BackedUp[],
  options: RestoreOptions,
): Promise<number> {
  const { home, signal } = options
  await expectRoom(home, manifest.bytes, 'set SWAPTIDE_HOME to a folder on another one')
  await copyAll(folder, scratch, files, options)
  await installHomeFiles(scratch)
  signal.throwIfAborted()
  const webhooksPaused = await changeTables(scratch, manifest, options)
  signal.throwIfAborted()
  await moveAll(scratch, home)
  return webhooksPaused
}

/** Opens the database for the first time: a restore that succeeds is one that starts. */
async function changeTables(
  scratch: string,
  { coverage, created_ms }: Manifest,
  { start, pausesWebhooks }: RestoreOptions,
): Promise<number> {
  const stack = await start(scratch)
  try {
    return await withDatabase(stack.databaseUrl, { name: 'swaptide restore' }, async (db) => {
      await restoreCoverage(db, coverage)
      if (!pausesWebhooks) return 0
      const moment = new Date(created_ms).toISOString()
      return await pauseWebhooks(
        db,
        CLI_ACTOR,
        `the database was restored from the backup of ${moment}`,
      )
    })
  } finally {
    await stack.stop()
  }
}

function refusalOf(home: string, names: readonly string[]): string {
  const found = names.includes(SCRATCH)
    ? 'holds a restore that was interrupted: remove the folder'
    : 'is not empty: move its contents away'
  return `"${home}" ${found}, or set SWAPTIDE_HOME to a new one`
}

/** All files of the backup with their hashes. Throws where the list of PostgreSQL's files is not the one of then. */
async function filesOf(folder: string, { listed }: Manifest): Promise<BackedUp[]> {
  const name = join(POSTGRES, 'backup_manifest')
  const expected = listed.find((each) => each.name === name)
  const text = await readFile(join(folder, name), 'utf8').catch(() => '')
  const server = parseDurable<ServerManifest>(text)
  if (server === undefined || sha256(text) !== expected?.sha256) throw damaged(folder, name)
  const copied = server.Files.map(({ Path, Size, Checksum }) => {
    return { name: join(POSTGRES, Path), bytes: Size, sha256: Checksum }
  })
  const files = [...listed, ...copied]
  const stack = join(HOME, STACK_FILE)
  if (!listed.some((each) => each.name === stack)) throw damaged(folder, stack)
  const outside = files.find((each) => !isInside(each.name))
  if (outside !== undefined) throw damaged(folder, outside.name)
  return files
}

/** A list that was changed must not make this write elsewhere. */
const isInside = (name: string): boolean =>
  !isAbsolute(name) && [POSTGRES, HOME].includes(normalize(name).split(sep)[0] ?? '')

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const damaged = (folder: string, name: string): Error =>
  new Error(
    `the backup "${folder}" is damaged: "${name}" is missing or not as it was written; restore another backup`,
  )

async function copyAll(
  folder: string,
  scratch: string,
  files: readonly BackedUp[],
  { env, signal, onProgress }: RestoreOptions,
): Promise<void> {
  await copyFolders(folder, scratch)
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  for (const file of files) {
    signal.throwIfAborted()
    await copyChecked(folder, scratch, file)
    done += file.bytes
    onProgress(done, all)
  }
  // One flush of the file system, where one a file would take longer than the copy.
  await runCommand('sync', ['--file-system', scratch], { env })
}

/** PostgreSQL expects its empty folders, too. */
async function copyFolders(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isDirectory()) await copyFolders(join(from, entry.name), join(to, entry.name))
  }
}

async function copyChecked(folder: string, scratch: string, file: BackedUp): Promise<void> {
  const hash = createHash('sha256')
  const target = join(scratch, file.name)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const read = createReadStream(join(folder, file.name))
  await pipeline(
    read,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    },
    createWriteStream(target, { mode: 0o600, flags: 'wx' }),
  ).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? damaged(folder, file.name) : cause
  })
  if (hash.digest('hex') !== file.sha256) throw damaged(folder, file.name)
}

/** The scratch folder has the layout of a home then. */
async function installHomeFiles(scratch: string): Promise<void> {
  const copied = await readdir(join(scratch, HOME))
  for (const name of HOME_FILES.filter((each) => copied.includes(each))) {
    await rename(join(scratch, HOME, name), join(scratch, name))
  }
  await rm(join(scratch, HOME), { recursive: true })
  const path = join(scratch, STACK_FILE)
  // Ports and processes are those of the installation that was lost; its ports may be in use.
  const { secret, secrets } = JSON.parse(await readFile(path, 'utf8')) as StackState
  const state: StackState = { ports: {}, secret, ...(secrets && { secrets }), hasDatabase: true }
  await writeDurable(path, `${JSON.stringify(state, undefined, 2)}\n`)
}

async function moveAll(scratch: string, home: string): Promise<void> {
  const others = (await readdir(scratch)).filter((name) => ![POSTGRES, STACK_FILE].includes(name))
  for (const name of [POSTGRES, ...others, STACK_FILE]) {
    if (name === STACK_FILE) await syncFolder(home)
    await rename(join(scratch, name), join(home, name))
  }
  await rmdir(scratch)
  await syncFolder(home)
}
