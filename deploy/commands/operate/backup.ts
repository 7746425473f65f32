/**
 * `swaptide backup DIR`: copies the database of the embedded stack while `up` runs, with the keys and passwords that open
 * it, into a new folder. The path of the manifest goes to standard output, progress to standard error.
 */
import { join } from 'node:path'
import { databaseSeen } from '../../../workers/recovery.ts'
import { makeBackup, type StateBefore } from '../../backup/backup.ts'
import { coveredAndRead } from '../../backup/covered.ts'
import { MANIFEST } from '../../backup/manifest.ts'
import { expectNone, parseArguments, UsageError, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'
import { counted, duration, grouped } from '../../cli/format.ts'
import type { Config } from '../../config.ts'
import { hostPrefix } from '../../local/packages/host-prefix.ts'
import { runningStack } from '../../local/state.ts'
import { withServers } from '../../processes/connections.ts'
import { findInstallation } from '../../processes/installation.ts'
import { postgresAccess, toolVariables } from '../../processes/server-tools.ts'

export const described = usage({
  line: 'backup DIR',
  options: {},
  notes: [
    'DIR is a new or an empty folder. The backup is a base backup of the embedded PostgreSQL, taken while "up" runs, and ' +
      'the keys and passwords of SWAPTIDE_HOME: guard it like them. manifest.json is written last: a folder without it ' +
      'holds a backup that was interrupted.',
    'NATS is not part of it. The copy begins when pool lanes have read all published messages: after "restore", ingest ' +
      'again the events published after the moment that both commands print. Known events are skipped.',
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
      ...(await programsOf(context)),
      stateBefore: () => stateBefore(databaseUrl, context),
      variables: toolVariables(config.environment, postgresAccess(databaseUrl)),
      now: Date.now,
      signal,
      onProgress: (done, all) =>
        progress.update(() => `copied ${grouped(done)} of about ${grouped(all)} bytes`),
    })
    const { files, bytes, database, program } = manifest
    stderr.write(
      `${counted(files, 'file')}, ${grouped(bytes)} bytes, in ${duration(performance.now() - startedAt)}\n` +
        `schema ${program.schema}, all that was published up to ${new Date(database.read_up_to_ms).toISOString()}\n`,
    )
    stdout.write(`${join(folder, MANIFEST)}\n`)
    return EXIT_OK
  } catch (failure) {
    if (!signal.aborted) throw failure
    stderr.write('stopped: removed the partial copy\n')
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

/** The state before the copy, after pool lanes have read what SWAP held. */
async function stateBefore(
  databaseUrl: string,
  { config, log, progress, signal }: CommandContext,
): Promise<StateBefore> {
  const installation = { ...(await findInstallation(config)), databaseUrl }
  const options = { name: 'swaptide backup', log: log('warn') }
  return await withServers(installation, options, async (connections) => {
    const read = await coveredAndRead(connections, signal, (left) =>
      progress.update(() => `waiting for pool lanes to read ${counted(left, 'message')}`),
    )
    return { database: await databaseSeen(connections.db), ...read }
  })
}

async function programsOf({ config, stderr }: CommandContext) {
  const prefix = await hostPrefix({ ...config, log: (line) => stderr.write(`${line}\n`) })
  return { program: prefix.program('pg_basebackup'), setpriv: prefix.program('setpriv') }
}
