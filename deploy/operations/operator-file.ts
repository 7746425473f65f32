/**
 * Reads an operator's file line by line: its rows, and each refusal when it occurs. Memory depends on the rows, never
 * on the file's size.
 */
import type { OperatorFields, ReadLine } from '../../streams/ingest/operator-line.ts'
import { ForeignInput, readLines } from '../../streams/ingest/reading/ndjson.ts'
import { printed, type Refusal, refusalsOfLine, refuseLine } from '../../streams/ingest/refusal.ts'
import { openFile, openPipe } from '../../streams/sources/open-file.ts'
import { STANDARD_INPUT } from '../../streams/sources/standard-input.ts'
import type { CommandContext } from '../cli/command.ts'

/** Receives reports of single lines. A warning is a field that was left out of an accepted line. */
export type Reporting = {
  onRefusal: (line: number, refusal: Refusal) => void
  onWarning: (line: number, warning: Refusal) => void
}

type OperatorFile<Row> = Reporting & {
  /** Path, or `-`. */
  file: string
  /** Whether a file without lines is a valid empty list. */
  mayBeEmpty?: boolean
  /** Called with the file's lines in order. */
  read: (text: string) => ReadLine
  rowOf: (fields: OperatorFields, line: number) => Row | { refusals: Refusal[] }
}

/** A row may come without some of its line's fields. */
type WithWarnings = { warnings?: readonly Refusal[] }

type OperatorRows<Row> = { rows: Row[]; refusedLines: number }

/** Rows in order, and how many lines were refused. A file without a line is refused as a whole, unless it may be empty. */
export async function readOperatorFile<Row extends WithWarnings>(
  operatorFile: OperatorFile<Row>,
  context: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<OperatorRows<Row>> {
  const { file } = operatorFile
  try {
    const input = await openInput(file, context)
    return await readRows(operatorFile, input)
  } catch (error) {
    if (!(error instanceof ForeignInput) || file === STANDARD_INPUT) throw error
    throw new ForeignInput(`${file}: ${error.message}`, { cause: error })
  }
}

async function readRows<Row extends WithWarnings>(
  { read, rowOf, mayBeEmpty = false, onRefusal, onWarning }: OperatorFile<Row>,
  input: AsyncIterable<Uint8Array>,
): Promise<OperatorRows<Row>> {
  const rows: Row[] = []
  let refusedLines = 0
  let isEmpty = true
  const refuse = (line: number, refusals: readonly Refusal[]): void => {
    refusedLines++
    for (const refusal of refusals) onRefusal(line, refusal)
  }
  for await (const { lines } of readLines(input)) {
    for (const each of lines) {
      const { number, text, error } = each
      const isFirst = isEmpty
      isEmpty = false
      if (error !== undefined) {
        refuse(number, refusalsOfLine([refuseLine(text, error)], each))
        continue
      }
      const line = read(text)
      if (line === 'header') continue
      const row = 'refusals' in line ? line : rowOf(line.fields, number)
      if ('refusals' in row) refuse(number, refusalsOfLine(row.refusals, each))
      else {
        rows.push(row)
        for (const warning of row.warnings ?? []) onWarning(number, warning)
      }
      // Under an invalid header, no line can be read.
      if (isFirst && 'refusals' in line && isHeaderError(line)) return { rows, refusedLines }
    }
  }
  if (isEmpty && !mayBeEmpty) {
    const reason = 'expected a header of CSV, or JSON objects'
    refuse(1, [{ field: 'line', value: undefined, reason }])
  }
  return { rows, refusedLines }
}

/** Rows of a file with unique keys: a line with another value for a key is refused. */
export function eachOnce<Row extends WithWarnings>(
  field: string,
  keyOf: (row: Row) => string,
  rowOf: (fields: OperatorFields) => Row | { refusals: Refusal[] },
): OperatorFile<Row>['rowOf'] {
  const lineOfKey = new Map<string, number>()
  return (fields, line) => {
    const row = rowOf(fields)
    if ('refusals' in row) return row
    const key = keyOf(row)
    const earlier = lineOfKey.get(key)
    if (earlier === undefined) {
      lineOfKey.set(key, line)
      return row
    }
    const reason = `repeats line ${earlier}`
    return { refusals: [{ field, value: printed(key), reason }] }
  }
}

function isHeaderError({ refusals }: { refusals: readonly Refusal[] }): boolean {
  return refusals.some(({ field }) => field === 'header')
}

/** A file that a command reads whole, or standard input for "-". Rejects where the file cannot be opened. */
export async function openInput(
  file: string,
  { stdin, signal }: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<AsyncIterable<Uint8Array>> {
  if (file === STANDARD_INPUT) return openPipe(stdin, signal)
  return (await openFile(file, signal)).input
}
