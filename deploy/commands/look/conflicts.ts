/**
 * `swaptide conflicts`: events that the pool worker rejected because they contradict a stored event, with both
 * versions. Read-only: the version stored first is retained.
 */

import { CONFLICT_KINDS, type ConflictRow } from '../../../domain/events/rejected-event.ts'
import { listConflicts } from '../../../workers/conflicts.ts'
import {
  choiceOption,
  expectNone,
  integerOption,
  parseArguments,
  usage,
} from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { jsonLine, table } from '../../cli/format.ts'
import { withDatabase } from '../../processes/connections.ts'
import { findInstallation } from '../../processes/installation.ts'

export const described = usage({
  line: 'conflicts [--kind KIND] [--limit N] [--before ID] [--json]',
  options: {
    kind: {
      type: 'string',
      value: 'KIND',
      about: 'only redelivery_differs, or only fork_suspected',
    },
    limit: { type: 'string', value: 'N', about: 'at most N', default: '100' },
    before: {
      type: 'string',
      value: 'ID',
      about: 'only conflicts listed after this id: the next page',
    },
    json: {
      type: 'boolean',
      about: 'print a JSON array with both versions as lines of the ingest format',
    },
  },
  notes: [
    'Newest first. redelivery_differs: a stored event was delivered again with other fields. fork_suspected: a ' +
      'stored swap (signature, venue, pool, wallet, instruction, side) was delivered in another slot or block with other ' +
      'amounts, as a fork of the chain reports it.',
    'The version that was stored first is retained. RETENTION_CONFLICT_DAYS deletes old conflicts from the list.',
  ],
  examples: ['swaptide conflicts', 'swaptide conflicts --kind fork_suspected --limit 10 --json'],
})

const LIMIT_MAX = 10_000

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const kind =
    values.kind === undefined ? undefined : choiceOption('kind', values.kind, CONFLICT_KINDS)
  const limit = integerOption('limit', values.limit, { min: 1, max: LIMIT_MAX }) ?? 1
  const belowId = integerOption('before', values.before, { min: 1, max: Number.MAX_SAFE_INTEGER })
  const installation = await findInstallation(context.config)
  return await withDatabase(
    installation.databaseUrl,
    { name: 'swaptide conflicts' },
    async (db) => {
      const conflicts = await listConflicts(db, { limit, kind, belowId })
      context.stdout.write(values.json ? jsonLine(conflicts) : describe(conflicts, limit))
      return EXIT_OK
    },
  )
}

const COLUMNS = [
  ...['id', 'seen', 'kind', 'event', 'signature', 'pool', 'wallet'],
  ...['stored slot', 'rejected slot', 'differs in (stored, rejected)'],
]

function describe(conflicts: readonly ConflictRow[], limit: number): string {
  if (conflicts.length === 0) return 'no conflicts\n'
  const rows = conflicts.map((conflict) => [
    String(conflict.id),
    conflict.seen_at.toISOString(),
    conflict.kind,
    conflict.event,
    conflict.signature,
    conflict.pair_address,
    conflict.wallet ?? '-',
    String(conflict.stored_slot),
    String(conflict.kept_out_slot),
    differences(conflict),
  ])
  const last = conflicts.at(-1)?.id
  const more = conflicts.length < limit ? '' : `the next page: --before ${last}\n`
  return table(COLUMNS, rows) + more
}

/** `sol_amount 5, 7; token_amount 10, absent`: every field but the slot, its values digit for digit. */
function differences({ stored, kept_out }: ConflictRow): string {
  const [before, after] = [fieldsOf(stored), fieldsOf(kept_out)]
  return (
    [...new Set([...before.keys(), ...after.keys()])]
      .filter((name) => name !== 'slot' && before.get(name) !== after.get(name))
      // A stored swap has its pool price even if none was published.
      .filter((name) => name !== 'pool_price' || after.has(name))
      .map((name) => `${name} ${before.get(name) ?? 'absent'}, ${after.get(name) ?? 'absent'}`)
      .join('; ')
  )
}

/** A flat line of the ingest format by its fields; no text of a swap or a pool event needs escaping. */
const fieldsOf = (line: string): Map<string, string> =>
  new Map(
    Array.from(line.matchAll(/"(\w+)":("[^"]*"|[^,}]+)/g), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
