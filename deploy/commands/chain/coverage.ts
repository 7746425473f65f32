/**
 * `swaptide coverage`: which slots of which venues were read from the chain, by which decoder, and the gaps between them.
 * Read-only.
 */
import { presentWarning } from '../../../api/admin/v1/present.ts'
import { presentCoverage } from '../../../api/resources/coverage/present.ts'
import { type CoverageWithHistory, readCoverage } from '../../../api/resources/coverage/read.ts'
import { type Gap, gapsByVenues, slotCount, venuesOfBits } from '../../../domain/coverage.ts'
import { type DexId, VENUES, venueOf } from '../../../domain/venue.ts'
import { listWarnings } from '../../../sql/chain/decoder-warnings.ts'
import { expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { counted, grouped, jsonLine, table } from '../../cli/format.ts'
import { describeWarnings } from '../../operations/sources.ts'
import { withDatabase } from '../../processes/connections.ts'
import { findInstallation } from '../../processes/installation.ts'

export const described = usage({
  line: 'coverage [--json]',
  options: {
    json: { type: 'boolean', about: 'print one JSON object' },
  },
  notes: [
    'A range lists slots that were read completely: all events of its venues are stored, and slots without a block ' +
      'were skipped by the chain. Gaps lie between the first and the last slot of a venue. Swaps that came by ' +
      '"ingest" or "simulate" are not part of it. History is complete since the end of the last gap of any venue. Signs that the program of a venue has changed follow: its swaps ' +
      'may be missing in slots that count as read.',
  ],
  examples: ['swaptide coverage', 'swaptide coverage --json'],
})

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const { databaseUrl } = await findInstallation(context.config)
  return await withDatabase(databaseUrl, { name: 'swaptide coverage' }, async (db) => {
    const [coverage, warnings] = [await readCoverage(db), await listWarnings(db)]
    const shown = values.json
      ? jsonLine({ ...presentCoverage(coverage), decoder_warnings: warnings.map(presentWarning) })
      : describe(coverage) + describeWarnings(warnings)
    context.stdout.write(shown)
    return EXIT_OK
  })
}

const COLUMNS = [
  ...['from slot', 'to slot', 'slots', 'swaps', 'venues', 'decoder', 'source', 'commitment'],
]

function describe({ coverage, history }: CoverageWithHistory): string {
  if (coverage.length === 0) return 'no slots were read from the chain\n'
  const rows = coverage.map((range) => [
    String(range.from),
    String(range.to),
    grouped(slotCount(range)),
    grouped(range.swaps),
    shortNames(venuesOfBits(range.venues)),
    String(range.decoderVersion),
    range.source,
    range.commitment,
  ])
  return table(COLUMNS, rows) + describeGaps(gapsByVenues(coverage)) + describeHistory(history)
}

function describeGaps(gaps: readonly Gap[]): string {
  if (gaps.length === 0) return 'no gaps\n'
  const lines = gaps.map(
    ({ from, to, venues }) =>
      `  ${from} to ${to} (${counted(slotCount({ from, to }), 'slot')}) of ${shortNames(venues)}\n`,
  )
  return `${counted(gaps.length, 'gap')}:\n${lines.join('')}`
}

/** `complete since slot 285000690 (2026-11-03T10:00:00.000Z)`, without a time where no swap is indexed since. */
function describeHistory({
  complete_since: slot,
  complete_since_timestamp: time,
}: CoverageWithHistory['history']): string {
  if (slot === undefined) return ''
  const moment =
    time === null || time === undefined ? '' : ` (${new Date(Number(time)).toISOString()})`
  return `complete since slot ${slot}${moment}\n`
}

const shortNames = (venues: readonly DexId[]): string =>
  venues.length === VENUES.length ? 'all' : venues.map((dex) => venueOf(dex).name).join(',')
