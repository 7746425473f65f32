/**
 * `swaptide backup DIR`: copies the database of the embedded stack while `up` runs, with the keys and passwords that open
 * it, into a new folder. The path of the manifest goes to standard output, progress to standard error.
 */
import { join } from 'node:path'
import { connect } from '../../../sql/db.ts'
import { databaseSeen, readUpTo } from '../../../workers/recovery.ts'
import { type BackupSource, makeBackup } from '../../backup/backup.ts'
import { MANIFEST } from '../../backup/manifest.ts'
import { expectNone, parseArguments, UsageError, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'
import { counted, duration, grouped } from '../../cli/format.ts'
import type { Config } from '../../config.ts'
import { defaultCacheDir, toolEnv } from '../../local/host.ts'
import { ensurePrefix } from '../../local/packages/prefix.ts'
import { runningStack } from '../../local/state.ts'
import { findInstallation } from '../../processes/installation.ts'
import { postgresAccess, toolVariables } from '../../processes/server-tools.ts'

export const described = usage({
  line: 'backup DIR',
  options: {},
  notes: [
    'DIR is a new or an empty folder. The backup is a base backup of the embedded PostgreSQL, taken while "up" runs, and ' +
      'the keys and passwords of SWAPTIDE_HOME: guard it like them. manifest.json is written last: a folder without it ' +
      'holds a backup that was interrupted.',
    'Swaps that no lane has read yet are in NATS, which is not part of it: after "restore", ingest again what came ' +
      'after the moment that both commands print. What is known is left out.',
    'Where DATABASE_URL names the servers, back up that server with its own tools: "swaptide pg-basebackup" or ' +
      '"swaptide pg-dump".',
  ],
  examples: ['swaptide backup /backups/monday', 'SWAPTIDE_HOME=/srv/swaptide swaptide backup day'],
})

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { positionals } = parseArguments(described, argv)
  const [folder, ...extra] = positionals
  if (folder === undefined || folder === '') {
    throw new UsageError('the folder is missing: name a new or an empty one, "backup DIR"')
  }
  expectNone(described.line, extra)
  const { config, stdout, stderr, progress, signal } = context
  const databaseUrl = await embeddedDatabase(config)
  const startedAt = performance.now()
  try {
    const manifest = await makeBackup(folder, {
      home: config.home,
      database: await seen(databaseUrl),
      program: await baseBackupProgram(context),
      variables: toolVariables(config.environment, postgresAccess(databaseUrl)),
      now: Date.now,
      signal,
      onProgress: (done, all) =>
        progress.update(() => `copied ${grouped(done)} of about ${grouped(all)} bytes`),
    })
    const { files, bytes, database, program } = manifest
    stderr.write(
      `${counted(files, 'file')}, ${grouped(bytes)} bytes, in ${duration(performance.now() - startedAt)}\n` +
        `schema ${program.schema}, all that was published up to ${timeOf(database.read_up_to_ms)}, newest commit ` +
        `${timeOf(database.committed_ms)} or later\n`,
    )
    stdout.write(`${join(folder, MANIFEST)}\n`)
    return EXIT_OK
  } catch (failure) {
    if (!signal.aborted) throw failure
    stderr.write('stopped: what was copied is removed\n')
    return EXIT_FAILED
  }
}

/** The URL of the database that this home's servers serve. Throws with what to do instead. */
async function embeddedDatabase(config: Config): Promise<string> {
  if (config.servers !== undefined) {
    throw new Error(
      'DATABASE_URL is set: backup copies the embedded PostgreSQL only; use "swaptide pg-basebackup" or ' +
        '"swaptide pg-dump" for that server',
    )
  }
  const stack = await runningStack(config.home)
  if (stack !== undefined) return stack.databaseUrl
  await findInstallation(config)
  throw new Error(
    `"up" in "${config.home}" runs on servers that its DATABASE_URL names: use "swaptide pg-basebackup" or ` +
      '"swaptide pg-dump" for that server',
  )
}

async function seen(databaseUrl: string): Promise<BackupSource['database']> {
  const db = connect(databaseUrl, { max: 1, applicationName: 'swaptide backup' })
  try {
    return { ...(await databaseSeen(db)), readUpTo: await readUpTo(db) }
  } finally {
    await db.end()
  }
}

async function baseBackupProgram({ config, stderr }: CommandContext): Promise<string> {
  const { environment, debianMirror, cacheDir } = config
  const prefix = await ensurePrefix({
    cacheDir: cacheDir ?? defaultCacheDir(process.getuid?.() ?? -1, environment),
    debianMirror,
    env: toolEnv(environment),
    log: (line) => stderr.write(`${line}\n`),
    platform: process.platform,
    arch: process.arch,
  })
  return prefix.program('pg_basebackup')
}

const timeOf = (ms: number | null): string =>
  ms === null ? 'the beginning' : new Date(ms).toISOString()
