/**
 * `swaptide coverage`: which slots of which venues were read from the chain, by which decoder, and the gaps between them.
 * Read-only.
 */
import {
  type Coverage,
  gapsOf,
  type SlotRange,
  slotCount,
  venuesOfBits,
} from '../../../domain/coverage.ts'
import { VENUES, venueOf } from '../../../domain/venue.ts'
import { connect } from '../../../sql/db.ts'
import { listCoverage } from '../../chain/coverage.ts'
import { expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { counted, grouped, jsonLine, table } from '../../cli/format.ts'
import { findInstallation } from '../../processes/installation.ts'

export const described = usage({
  line: 'coverage [--json]',
  options: {
    json: { type: 'boolean', about: 'print one JSON object' },
  },
  notes: [
    'A range lists slots that were read completely: all events of its venues are stored, and slots without a block ' +
      'were skipped by the chain. Gaps lie between the first and the last slot of a venue. Swaps that came by ' +
      '"ingest" or "simulate" are not part of it.',
  ],
  examples: ['swaptide coverage', 'swaptide coverage --json'],
})

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const { databaseUrl } = await findInstallation(context.config)
  const db = connect(databaseUrl, { max: 1, applicationName: 'swaptide coverage' })
  try {
    const coverage = await listCoverage(db)
    context.stdout.write(values.json ? jsonLine(jsonOf(coverage)) : describe(coverage))
    return EXIT_OK
  } finally {
    await db.end()
  }
}

type Gap = SlotRange & { venues: string[] }

/** Gaps of several venues that are the same are one. */
function gapsByVenues(coverage: readonly Coverage[]): Gap[] {
  const gaps = VENUES.flatMap(({ dex, name }) =>
    gapsOf(coverage, dex).map(({ from, to }) => ({ from, to, name })),
  )
  return Array.from(Map.groupBy(gaps, ({ from, to }) => `${from}:${to}`).values())
    .map((same) => ({
      from: same[0]?.from ?? 0,
      to: same[0]?.to ?? 0,
      venues: same.map(({ name }) => name),
    }))
    .toSorted((a, b) => a.from - b.from || a.to - b.to)
}

const namesOf = (bits: number): string[] => venuesOfBits(bits).map((dex) => venueOf(dex).name)

function jsonOf(coverage: readonly Coverage[]): object {
  return {
    ranges: coverage.map((range) => ({
      venues: namesOf(range.venues),
      from_slot: range.from,
      to_slot: range.to,
      swaps: range.swaps,
      decoder_version: range.decoderVersion,
      source: range.source,
      commitment: range.commitment,
    })),
    gaps: gapsByVenues(coverage).map(({ from, to, venues }) => ({
      venues,
      from_slot: from,
      to_slot: to,
    })),
  }
}

const COLUMNS = [
  ...['from slot', 'to slot', 'slots', 'swaps', 'venues', 'decoder', 'source', 'commitment'],
]

function describe(coverage: readonly Coverage[]): string {
  if (coverage.length === 0) return 'no slots were read from the chain\n'
  const rows = coverage.map((range) => [
    String(range.from),
    String(range.to),
    grouped(slotCount(range)),
    grouped(range.swaps),
    shortNames(namesOf(range.venues)),
    String(range.decoderVersion),
    range.source,
    range.commitment,
  ])
  return table(COLUMNS, rows) + describeGaps(gapsByVenues(coverage))
}

function describeGaps(gaps: readonly Gap[]): string {
  if (gaps.length === 0) return 'no gaps\n'
  const lines = gaps.map(
    ({ from, to, venues }) =>
      `  ${from} to ${to} (${counted(slotCount({ from, to }), 'slot')}) of ${shortNames(venues)}\n`,
  )
  return `${counted(gaps.length, 'gap')}:\n${lines.join('')}`
}

const shortNames = (names: readonly string[]): string =>
  names.length === VENUES.length ? 'all' : names.join(',')
