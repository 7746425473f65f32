/**
 * `swaptide migrate`: brings the database to the schema of this version. Safe to run at any time and by
 * several at once.
 */
import type { Db } from '../../../sql/db.ts'
import { listPending, migrate } from '../../../sql/migrate.ts'
import { refreshSearchKeys } from '../../../workers/search-keys.ts'
import { expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'
import { counted } from '../../cli/format.ts'
import { withDatabase } from '../../processes/connections.ts'
import { findInstallation } from '../../processes/installation.ts'
import { EXIT_IF_UNAVAILABLE, openWhenReachable } from '../../processes/wait-for-servers.ts'

export const described = usage({
  line: 'migrate [--check] [--exit-if-unavailable]',
  options: {
    check: {
      type: 'boolean',
      about: 'list the pending migrations and change nothing; exit code 1 if there are any',
    },
    'exit-if-unavailable': EXIT_IF_UNAVAILABLE,
  },
  notes: [
    'Idempotent, also when several run at once. Parts of the version before may go on: the objects that it uses are removed by ' +
      'a later run, once no part of it is connected.',
  ],
  examples: ['swaptide migrate --check', 'swaptide migrate'],
})

const UP_TO_DATE = 'nothing to apply: the schema is up to date\n'
const NEWER = 'the database is of a newer version: nothing to apply\n'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const installation = await findInstallation(context.config)
  const { databaseUrl } = installation
  return await withDatabase(databaseUrl, { name: 'swaptide migrate' }, async (db) => {
    const waiting = {
      log: context.log('warn'),
      signal: context.signal,
      servers: installation,
      exitIfUnavailable: values['exit-if-unavailable'],
    }
    if (values.check) {
      const isCurrent = await openWhenReachable(waiting, () => check(db, context.stdout))
      return isCurrent === false ? EXIT_FAILED : EXIT_OK
    }
    const migrated = await openWhenReachable(waiting, () =>
      migrate(db, (step) =>
        context.stdout.write('applied' in step ? `applied ${step.applied}\n` : `${step.waiting}\n`),
      ),
    )
    if (migrated === undefined) return EXIT_OK
    const keyed = await refreshSearchKeys(db)
    if (keyed > 0) context.stdout.write(`computed search keys of ${counted(keyed, 'token')}\n`)
    if (migrated.isNewer) context.stdout.write(NEWER)
    else if (migrated.applied.length === 0 && migrated.waiting === undefined)
      context.stdout.write(UP_TO_DATE)
    return EXIT_OK
  })
}

/** Whether nothing would be applied. */
async function check(db: Db, stdout: CommandContext['stdout']): Promise<boolean> {
  const pending = await listPending(db)
  if (pending === undefined) stdout.write(NEWER)
  else {
    const { files, waiting } = pending
    for (const { path, phase, about } of files) stdout.write(`${phase}  ${path}  ${about}\n`)
    if (waiting !== undefined) stdout.write(`${waiting}\n`)
    if (files.length > 0) {
      stdout.write(`${counted(files.length, 'file')} to apply: run "swaptide migrate"\n`)
    } else if (waiting === undefined) stdout.write(UP_TO_DATE)
  }
  return pending === undefined || (pending.files.length === 0 && pending.waiting === undefined)
}
