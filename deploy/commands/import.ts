/**
 * `swaptide import kols|tokens|sectors FILE | -`: operators' data, from NDJSON or CSV with a header. KOLs go into their
 * table; tokens and sectors go through the stream as token events, so that every consumer of the stream receives them.
 * Refused lines are reported one by one; exit code 1 after a refused line.
 */
import {
  EmptyReplacement,
  type KolStoring,
  storeKols,
} from '../../api/resources/leaderboard/kols.ts'
import type { Token } from '../../domain/events/token.ts'
import { type OperatorFields, operatorLines } from '../../streams/ingest/operator-line.ts'
import { explainRefusal, type Refusal } from '../../streams/ingest/refusal.ts'
import {
  type ReadToken,
  TOKEN_COLUMNS,
  TOKEN_INTEGERS,
  tokenOfRow,
} from '../../streams/ingest/token-row.ts'
import { choiceWord, parseArguments, UsageError, usage } from '../cli/arguments.ts'
import { CLI_ACTOR, type CommandContext, EXIT_FAILED, EXIT_OK } from '../cli/command.ts'
import { counted, grouped, jsonLine } from '../cli/format.ts'
import type { Progress } from '../cli/progress.ts'
import { readKols } from '../operations/kol-file.ts'
import { type Reporting, readOperatorFile } from '../operations/operator-file.ts'
import { readSectors } from '../operations/sector-file.ts'
import { importTokens, newestSlot, slotAbove } from '../operations/token-publishing.ts'
import { withDatabase } from '../processes/connections.ts'
import { findInstallation } from '../processes/installation.ts'

export const described = usage({
  line: 'import kols|tokens|sectors FILE | -',
  options: {
    replace: { type: 'boolean', about: 'kols: remove those that the file does not list' },
    'allow-empty': {
      type: 'boolean',
      about: 'with --replace: accept a file without rows, which removes all',
    },
    json: { type: 'boolean', about: 'print one JSON object' },
  },
  notes: [
    'Reads NDJSON, or CSV with a header, from a file or, for "-", from standard input.',
    'kols: wallet, display_name, twitter_handle (absent or null: unchanged; empty: removed); stored KOLs are ' +
      'updated. tokens: token lines as `ingest` reads them, or mint, symbol, name, decimals, creator, supply, uri, ' +
      'sector, slot. sectors: mint, sector; each mint once.',
    'A refused line is reported as FILE:LINE field "value": reason (numbers without quotes; "field absent" ' +
      'for a missing field). All other lines are imported and the exit code is 1. With --replace, a refused line ' +
      'or a file without rows (unless --allow-empty is given) changes nothing.',
    'An optional field that cannot be used is reported likewise and left out; the rest of its line is imported.',
  ],
  examples: [
    'swaptide import kols kols.csv --replace',
    'swaptide import tokens tokens.ndjson',
    'swaptide import sectors -',
  ],
})

type ImportRequest = { file: string; storing: KolStoring; isJson: boolean }

const KINDS = { kols: importKols, tokens: importTokenLines, sectors: importSectors }
type Kind = keyof typeof KINDS

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  const [word, file, ...extra] = positionals
  const kind = choiceWord('import', word, Object.keys(KINDS) as Kind[])
  if (file === undefined || extra.length > 0) {
    throw new UsageError(`one file is read: the command is swaptide ${described.line}`)
  }
  const {
    replace: isWhole = false,
    'allow-empty': mayBeEmpty = false,
    json: isJson = false,
  } = values
  if (isWhole && kind !== 'kols') {
    throw new UsageError('--replace is for kols: metadata of a token is never removed')
  }
  if (mayBeEmpty && !isWhole) throw new UsageError('--allow-empty goes with --replace')
  const whole = mayBeEmpty ? 'clear' : 'replace'
  const request: ImportRequest = { file, storing: isWhole ? whole : 'merge', isJson }
  return await KINDS[kind](request, context, context.progress)
}

async function importKols(
  { file, storing, isJson }: ImportRequest,
  context: CommandContext,
  progress: Progress,
): Promise<number> {
  const { databaseUrl } = await findInstallation(context.config)
  const { kols, refusedLines } = await readKols(
    file,
    { ...reporting(file, progress), mayBeEmpty: storing === 'clear' },
    context,
  )
  if (storing !== 'merge' && refusedLines > 0) {
    progress.say('nothing was replaced: mend the refused lines first')
    return EXIT_FAILED
  }
  try {
    return await withDatabase(databaseUrl, { name: 'swaptide import' }, async (db) => {
      const { added, changed, unchanged, removed } = await storeKols(db, kols, storing, CLI_ACTOR)
      const outcome = { added, changed, unchanged, removed, refused: refusedLines }
      const sentence =
        `${counted(added, 'KOL')} added, ${grouped(changed)} changed, ${grouped(unchanged)} as before, ` +
        `${grouped(removed)} removed, ${grouped(refusedLines)} refused\n`
      context.stdout.write(isJson ? jsonLine(outcome) : sentence)
      return refusedLines === 0 ? EXIT_OK : EXIT_FAILED
    })
  } catch (error) {
    if (!(error instanceof EmptyReplacement)) throw error
    const advice = 'nothing was replaced; to remove them all, add --allow-empty'
    throw new Error(`${file}: ${error.message}: ${advice}`, { cause: error })
  }
}

function importTokenLines(request: ImportRequest, context: CommandContext, progress: Progress) {
  return importEvents(request, context, progress, async (slot, callbacks) => {
    const { file } = request
    const read = operatorLines(TOKEN_COLUMNS, TOKEN_INTEGERS)
    const rowOf = (fields: OperatorFields) => tokenOfRow(fields, slot)
    const { rows, refusedLines } = await readOperatorFile<ReadToken>(
      { ...callbacks, file, read, rowOf },
      context,
    )
    return { tokens: rows.map(({ token }) => token), refusedLines }
  })
}

function importSectors(request: ImportRequest, context: CommandContext, progress: Progress) {
  return importEvents(request, context, progress, (slot, callbacks) =>
    readSectors(request.file, slot, callbacks, context),
  )
}

type ReadTokens = (
  slot: number,
  callbacks: Reporting,
) => Promise<{ tokens: Token[]; refusedLines: number }>

/** A line without a slot describes the present: it gets a slot above every stored one. */
async function importEvents(
  { file, isJson }: ImportRequest,
  context: CommandContext,
  progress: Progress,
  read: ReadTokens,
): Promise<number> {
  const installation = await findInstallation(context.config)
  const slot = await slotOfNow(installation.databaseUrl)
  const { tokens, refusedLines } = await read(slot, reporting(file, progress))
  const { isComplete } = await importTokens(tokens, installation, context, progress)
  const outcome = { token_lines: tokens.length, refused: refusedLines }
  const pending = isComplete ? '' : ', not all of them counted yet'
  const sentence = `${counted(tokens.length, 'token line')}, ${grouped(refusedLines)} refused${pending}\n`
  context.stdout.write(isJson ? jsonLine(outcome) : sentence)
  return refusedLines === 0 && isComplete ? EXIT_OK : EXIT_FAILED
}

async function slotOfNow(databaseUrl: string): Promise<number> {
  return await withDatabase(databaseUrl, { name: 'swaptide import' }, async (db) => {
    return slotAbove(await newestSlot(db))
  })
}

function reporting(file: string, progress: Progress): Reporting {
  const report = (line: number, refusal: Refusal): void =>
    progress.say(`${file}:${line} ${explainRefusal(refusal)}`)
  return { onRefusal: report, onWarning: report }
}
