/**
 * `swaptide rebuild ledger`: folds every position afresh from the stored swaps and replaces the ledger's
 * tables, wallet by wallet. Takes the ledger's lanes from live workers until it is done.
 */
import { connect } from '../../sql/db.ts'
import { rebuildLedger } from '../../workers/rebuild.ts'
import { parseArguments, UsageError, usage } from '../arguments.ts'
import { type CommandContext, EXIT_OK } from '../command.ts'
import { findInstallation } from '../installation.ts'
import { grouped, jsonLine } from '../wording.ts'

export const described = usage({
  line: 'rebuild ledger [--json]',
  summary: 'Folds every position afresh from the stored swaps.',
  options: { json: { type: 'boolean', about: 'one JSON object on standard output' } },
  notes: [
    'Workers may run: the ledger waits meanwhile, and reads on where it stood.',
    'May be broken off and run again.',
  ],
})

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  if (positionals.length !== 1 || positionals[0] !== 'ledger') {
    throw new UsageError(`unknown rebuild "${positionals.join(' ')}": use ledger`)
  }
  const { databaseUrl, laneCount } = await findInstallation(context.config)
  const db = connect(databaseUrl, { applicationName: 'swaptide rebuild' })
  try {
    const done = await rebuildLedger(db, { laneCount, log: context.log('warn') })
    const text = `${grouped(done.positions)} positions from ${grouped(done.swaps)} swaps\n`
    context.stdout.write(values.json ? jsonLine(done) : text)
    return EXIT_OK
  } finally {
    await db.end()
  }
}
