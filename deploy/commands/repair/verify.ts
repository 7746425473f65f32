/**
 * `swaptide verify`: folds the stored swaps afresh and compares every table, and the rankings that are served, with the
 * result. Prints a hash of both; exit code 1 where they differ, with the first differences.
 */
import { verify } from '../../../workers/verify/verify.ts'
import { expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'
import { counted, grouped, jsonLine, table } from '../../cli/format.ts'
import { withDatabase } from '../../processes/connections.ts'
import { findInstallation } from '../../processes/installation.ts'

export const described = usage({
  line: 'verify [--json]',
  options: { json: { type: 'boolean', about: 'print one JSON object' } },
  notes: [
    'Prints a hash of each table and of its recomputation; exit code 1 where they differ. Reads one snapshot of the ' +
      'database: workers may run meanwhile.',
    'Rankings that a worker refreshes are compared, too, with rankings computed from the tables. While swaps come in, these ' +
      'are the tokens that did not trade within the last minute.',
  ],
  examples: ['swaptide verify', 'swaptide verify --json'],
})

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const { databaseUrl } = await findInstallation(context.config)
  return await withDatabase(
    databaseUrl,
    { name: 'swaptide verify', connectionsMax: 10 },
    async (db) => {
      const found = await verify(db, { log: context.log('warn') })
      context.stdout.write(values.json ? jsonLine(found) : report(found))
      return found.clean ? EXIT_OK : EXIT_FAILED
    },
  )
}

function report({
  tables,
  rankings,
  sandwiches,
  clean,
}: Awaited<ReturnType<typeof verify>>): string {
  const rows = tables.map(({ name, rows, stored, folded, equal }) => [
    name,
    grouped(rows),
    stored,
    folded,
    equal ? 'equal' : 'DIFFERENT',
  ])
  const listed = table(['table', 'rows', 'stored', 'folded', ''], rows)
  const differences = tables.flatMap(({ name, differences }) =>
    differences.map((difference) => `${name}: ${difference}\n`),
  )
  const served =
    rankings.tokens === 0
      ? 'rankings: no worker refreshes them\n'
      : `rankings: ${grouped(rankings.tokens)} places served\n`
  const stale = rankings.differences.map((difference) => `rankings: ${difference}\n`)
  const brackets =
    `sandwiches: ${counted(sandwiches.brackets, 'bracket')}, ` +
    `${grouped(sandwiches.pending)} of which may still change\n`
  const others = sandwiches.differences.map((difference) => `sandwiches: ${difference}\n`)
  const result = clean ? 'clean: every table is the fold of its swaps\n' : 'not clean\n'
  return `${listed}${differences.join('')}${served}${stale.join('')}${brackets}${others.join('')}${result}`
}
