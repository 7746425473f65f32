/**
 * `swaptide migrate`: brings the database to the schema of this version. Safe to run at any time and by
 * several at once.
 */
import { connect } from '../../sql/db.ts'
import { migrate } from '../../sql/migrate.ts'
import { refreshSearchKeys } from '../../workers/search-keys.ts'
import { expectNone, parseArguments, usage } from '../arguments.ts'
import { type CommandContext, EXIT_OK } from '../command.ts'
import { findInstallation } from '../installation.ts'
import { counted } from '../wording.ts'

export const described = usage({
  line: 'migrate',
  summary: 'Brings the database to the schema of this version.',
  options: {},
})

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  expectNone(described.line, parseArguments(described, argv).positionals)
  const { databaseUrl } = await findInstallation(context.config)
  const db = connect(databaseUrl, { max: 1, applicationName: 'swaptide migrate' })
  try {
    const applied = await migrate(db, (line) => context.stdout.write(`${line}\n`))
    const keyed = await refreshSearchKeys(db)
    if (keyed > 0) context.stdout.write(`computed search keys of ${counted(keyed, 'token')}\n`)
    if (applied.length === 0) context.stdout.write('nothing to apply: the schema is up to date\n')
    return EXIT_OK
  } finally {
    await db.end()
  }
}
