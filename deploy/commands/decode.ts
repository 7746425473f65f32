/**
 * `swaptide decode`: files of chain data to lines of the ingest format. Needs no server and no installation.
 *
 * Lines go to standard output; rejects, with their reasons, go to standard error. A file that cannot be read is
 * reported and the others are decoded nevertheless. Exit code 1 when a file or a transaction was not read.
 */

import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Decoded, decodeBlock } from '../../chain/decode.ts'
import { readBlockFile } from '../../chain/forms/files/block-file.ts'
import { UnreadableBlockFile } from '../../chain/forms/files/unreadable.ts'
import { wordsOf } from '../../domain/decoder-warning.ts'
import { printEvent } from '../../streams/ingest/ndjson-writer.ts'
import { integerOption, parseArguments, UsageError, usage } from '../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../cli/command.ts'
import { counted, leftOut } from '../cli/format.ts'
import { lineWriter } from '../cli/progress.ts'

export const described = usage({
  line: 'decode FILE... [--slot SLOT] [--rejects]',
  options: {
    slot: {
      type: 'string',
      value: 'SLOT',
      about:
        "slot of an answer that does not state it; absent: a number in the file's name that may follow the parent's slot",
    },
    rejects: {
      type: 'boolean',
      about: 'list each swap that yields no line, also those without SOL',
    },
  },
  notes: [
    'Reads blocks and transactions as getBlock, getTransaction or Geyser return them; prints lines of the ingest ' +
      'format. Needs no servers.',
  ],
  examples: ['swaptide decode blocks/*.json | swaptide ingest -'],
})

/** Pools without SOL are no error of the decoder or of the file: they are counted, and listed on request. */
const EXPECTED_REJECT = 'no_sol_side'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals: files } = parseArguments(described, argv)
  if (files.length === 0) throw new UsageError('expected at least one FILE')
  const slot = integerOption('slot', values.slot, { min: 0, max: Number.MAX_SAFE_INTEGER })
  const { stderr } = context
  const out = lineWriter(context.stdout)
  const report = (text: string) => stderr.write(`${text}\n`)
  const totals = {
    transactions: 0,
    failed: 0,
    unreadable: 0,
    lines: 0,
    left: new Map<string, number>(),
    unread: 0,
  }
  for (const [at, file] of files.entries()) {
    if (context.signal.aborted) {
      totals.unread += files.length - at
      report('interrupted')
      break
    }
    for (const decoded of await decodeFile(file, slot, report, totals)) {
      totals.transactions += decoded.transactionCount
      totals.failed += decoded.failedCount
      totals.unreadable += decoded.unreadableCount
      totals.lines += decoded.events.length
      reportUnreadable(file, decoded, report)
      reportWarnings(file, decoded, report)
      reportLeftOut(file, decoded, totals.left, values.rejects, report)
      if (!(await out(decoded.events.map(printEvent)))) return EXIT_OK
    }
  }
  stderr.write(`${summary(totals)}\n`)
  return totals.unread + totals.unreadable > 0 ? EXIT_FAILED : EXIT_OK
}

async function decodeFile(
  file: string,
  slot: number | undefined,
  report: (text: string) => void,
  totals: { unread: number },
): Promise<readonly Decoded[]> {
  try {
    return readBlockFile(await readFile(file), basename(file), slot).map(decodeBlock)
  } catch (error) {
    if (!(error instanceof UnreadableBlockFile) && !('code' in (error as Error))) throw error
    totals.unread++
    report(`${file}: ${explain(error as Error)}`)
    return []
  }
}

/** The reason why a file could not be read, without its path, which the caller prints. */
const explain = (error: Error): string =>
  error instanceof UnreadableBlockFile ? error.message : (error.message.split(',')[0] ?? '')

/** A transaction without a result may have traded. */
function reportUnreadable(
  file: string,
  { transactionCount, unreadableCount, incomplete }: Decoded,
  report: (text: string) => void,
): void {
  if (unreadableCount === 0) return
  const total = counted(transactionCount, 'transaction')
  const lacking = Map.groupBy(incomplete, ({ part }) => part)
  const parts = Array.from(lacking, ([part, each]) => `${each.length} without ${part}`)
  const reasons = parts.length === 0 ? '' : `: ${parts.join(', ')}`
  report(`${file}: ${unreadableCount} of ${total} without a result that can be read${reasons}`)
}

function reportLeftOut(
  file: string,
  decoded: Decoded,
  counts: Map<string, number>,
  isEachListed: boolean | undefined,
  report: (text: string) => void,
): void {
  for (const { reason, kind, dex, ixIndex, signature } of decoded.rejects) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
    if (!isEachListed && reason === EXPECTED_REJECT) continue
    report(`${file}: ${kind} ${ixIndex} of venue_${dex} in ${signature}: ${reason}`)
  }
  for (const { dex, signature, vault, expected, actual } of decoded.mismatches) {
    report(
      `${file}: venue_${dex} in ${signature}: vault ${vault} moved by ${actual}, expected ${expected}`,
    )
  }
}

/** Signs that the program of a venue has changed, each once a file. */
function reportWarnings(file: string, { warnings }: Decoded, report: (text: string) => void): void {
  const texts = warnings.map(
    ({ dex, kind, subject }) => `${file}: venue_${dex}: ${wordsOf(kind)}: ${subject}`,
  )
  for (const text of new Set(texts)) report(text)
}

function summary(totals: {
  transactions: number
  failed: number
  unreadable: number
  lines: number
  left: ReadonlyMap<string, number>
  unread: number
}): string {
  const left = Array.from(totals.left, ([reason, count]) => `${count} ${reason}`)
  return [
    `${counted(totals.transactions, 'transaction')}, ${totals.failed} of them failed`,
    ...(totals.unreadable === 0 ? [] : [`${totals.unreadable} without a result`]),
    counted(totals.lines, 'line'),
    ...leftOut(left, totals.unreadable + totals.unread === 0),
    ...(totals.unread === 0 ? [] : [`${counted(totals.unread, 'file')} not read`]),
  ].join('; ')
}
