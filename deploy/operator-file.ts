/**
 * An operator's file, line by line: what stands in it, and each refusal as it is met. Memory is that of
 * what the lines hold, never of the file's own size.
 */
import { createReadStream } from 'node:fs'
import { addAbortSignal, type Readable } from 'node:stream'
import { printed, type Refusal, refuseLine } from '../streams/contract.ts'
import { readLines } from '../streams/ndjson.ts'
import type { OperatorFields, ReadLine } from '../streams/operator-line.ts'
import type { CommandContext } from './command.ts'

export const STANDARD_INPUT = '-'

export type OperatorFile<Row> = {
  /** Path, or `-`. */
  file: string
  /** Of this file's lines, from the first on. */
  read: (text: string) => ReadLine
  rowOf: (fields: OperatorFields, line: number) => Row | { refusals: Refusal[] }
  onRefusal: (line: number, refusal: Refusal) => void
}

/** Rows in order, and how many lines were refused. A file without a line is refused as a whole. */
export async function readOperatorFile<Row extends object>(
  { file, read, rowOf, onRefusal }: OperatorFile<Row>,
  { stdin, signal }: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<{ rows: Row[]; refusedLines: number }> {
  const input: Readable = file === STANDARD_INPUT ? stdin : createReadStream(file)
  addAbortSignal(signal, input)
  const rows: Row[] = []
  let refusedLines = 0
  let isEmpty = true
  const refuse = (line: number, refusals: readonly Refusal[]): void => {
    refusedLines++
    for (const refusal of refusals) onRefusal(line, refusal)
  }
  for await (const lines of readLines(input)) {
    for (const { number, text, fault } of lines) {
      const isFirst = isEmpty
      isEmpty = false
      if (fault !== undefined) {
        refuse(number, [refuseLine(text, fault)])
        continue
      }
      const line = read(text)
      if (line === 'header') continue
      const row = 'refusals' in line ? line : rowOf(line.fields, number)
      if (!('refusals' in row)) rows.push(row)
      else refuse(number, row.refusals)
      // Under a header that is none, no line can be told.
      if (isFirst && 'refusals' in line && isHeaderFault(line)) return { rows, refusedLines }
    }
  }
  if (isEmpty) {
    const reason = 'expected a header of CSV, or JSON objects'
    refuse(1, [{ field: 'line', value: undefined, reason }])
  }
  return { rows, refusedLines }
}

/** Rows of a file in which each key stands once: a line that says another one of it is refused. */
export function eachOnce<Row extends object>(
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
    const reason = `stands in line ${earlier} already`
    return { refusals: [{ field, value: printed(key), reason }] }
  }
}

function isHeaderFault({ refusals }: { refusals: readonly Refusal[] }): boolean {
  return refusals.some(({ field }) => field === 'header')
}
