/**
 * `swaptide restore DIR`: a backup of `swaptide backup` becomes a new SWAPTIDE_HOME, on which the next `up` starts.
 * Nothing is changed where the home holds anything, or the backup is not whole.
 */
import { restoreBackup } from '../../backup/restore.ts'
import { expectNone, parseArguments, UsageError, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'
import { counted, duration, grouped } from '../../cli/format.ts'
import { toolEnv } from '../../local/host.ts'
import { startStack } from '../../local/stack.ts'
import { readEndpoints } from '../../processes/installation.ts'

export const described = usage({
  line: 'restore DIR [--keep-webhooks]',
  options: {
    'keep-webhooks': {
      type: 'boolean',
      about: 'leave webhooks active: the installation of the backup no longer sends to them',
    },
  },
  notes: [
    'DIR is a folder that "backup" made. SWAPTIDE_HOME must be a new or an empty folder. Every file is compared with its ' +
      'SHA-256 in manifest.json, and the servers are started and stopped once; the backup is not changed.',
    'The next "up" starts on it with new, empty streams: cursors of feeds are refused, and clients resume by ' +
      'slot. Then ingest again the events that were published after the printed moment; known events are skipped.',
    'Webhooks are paused, because the installation of the backup may still send to the same endpoints: resume those that ' +
      'this one is to send to.',
  ],
  examples: [
    'swaptide restore /backups/monday',
    'swaptide restore /backups/monday --keep-webhooks',
    'SWAPTIDE_HOME=/srv/second swaptide restore /backups/monday',
  ],
})

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  const [folder, ...extra] = positionals
  if (folder === undefined || folder === '') {
    throw new UsageError('the folder is missing: name the one of a backup, "restore DIR"')
  }
  expectNone(described.line, extra)
  const { config, stdout, stderr, progress, signal } = context
  const { home } = config
  if (config.servers !== undefined) {
    throw new Error(
      'DATABASE_URL is set: restore makes a home for the embedded PostgreSQL only; restore that server with its own tools',
    )
  }
  const running = await readEndpoints(home)
  if (running !== undefined) {
    throw new Error(
      `"${home}" is in use by process ${running.holder.pid} (${running.apiUrl}): set SWAPTIDE_HOME to a new folder`,
    )
  }
  const { debianMirror, cacheDir, sharedBuffersMib, environment } = config
  const startedAt = performance.now()
  try {
    const { manifest, webhooksPaused } = await restoreBackup(folder, {
      home,
      pausesWebhooks: !values['keep-webhooks'],
      env: { PATH: toolEnv(environment).PATH },
      start: (scratch) =>
        startStack({
          ...{ home: scratch, debianMirror, cacheDir, sharedBuffersMib, env: environment },
          log: (line) => stderr.write(`${line}\n`),
        }),
      signal,
      onProgress: (done, all) =>
        progress.update(() => `copied ${grouped(done)} of ${grouped(all)} bytes`),
    })
    const { files, bytes, created_ms, database } = manifest
    stderr.write(
      `${counted(files, 'file')}, ${grouped(bytes)} bytes, in ${duration(performance.now() - startedAt)}\n`,
    )
    stdout.write(
      `restored into "${home}": backup of ${timeOf(created_ms)}\n` +
        'start it with "swaptide up", then ingest again the events published after ' +
        `${timeOf(database.read_up_to_ms)}\n${pausedText(webhooksPaused)}`,
    )
    return EXIT_OK
  } catch (failure) {
    if (!signal.aborted) throw failure
    stderr.write('stopped: removed the partial copy\n')
    return EXIT_FAILED
  }
}

function pausedText(count: number): string {
  if (count === 0) return ''
  return `paused ${counted(count, 'webhook')}: resume those that this installation is to send to by "swaptide webhooks resume ID"\n`
}

const timeOf = (ms: number): string => new Date(ms).toISOString()
