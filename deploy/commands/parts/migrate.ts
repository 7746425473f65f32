/**
 * `swaptide migrate`: brings the database to the schema of this version. Safe to run at any time and by
 * several at once.
 */
import { connect } from '../../../sql/db.ts'
import { migrate } from '../../../sql/migrate.ts'
import { refreshSearchKeys } from '../../../workers/search-keys.ts'
import { expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { counted } from '../../cli/format.ts'
import { findInstallation } from '../../processes/installation.ts'
import { EXIT_IF_UNAVAILABLE, openWhenReachable } from '../../processes/wait-for-servers.ts'

export const described = usage({
  line: 'migrate [--exit-if-unavailable]',
  options: { 'exit-if-unavailable': EXIT_IF_UNAVAILABLE },
  notes: ['Idempotent, also when several run at once.'],
  examples: ['swaptide migrate'],
})

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const installation = await findInstallation(context.config)
  const { databaseUrl } = installation
  const db = connect(databaseUrl, { max: 1, applicationName: 'swaptide migrate' })
  try {
    const waiting = {
      log: context.log('warn'),
      signal: context.signal,
      servers: installation,
      exitIfUnavailable: values['exit-if-unavailable'],
    }
    const applied = await openWhenReachable(waiting, () =>
      migrate(db, (line) => context.stdout.write(`${line}\n`)),
    )
    if (applied === undefined) return EXIT_OK
    const keyed = await refreshSearchKeys(db)
    if (keyed > 0) context.stdout.write(`computed search keys of ${counted(keyed, 'token')}\n`)
    if (applied.length === 0) context.stdout.write('nothing to apply: the schema is up to date\n')
    return EXIT_OK
  } finally {
    await db.end()
  }
}
