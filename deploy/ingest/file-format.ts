/**
 * How `ingest` reads its files: the format by option or by name, and the mapping of columns. A mistake in either is
 * reported before anything is read.
 */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Mapping, MappingError, readMapping } from '../../streams/ingest/columns/mapping.ts'
import { STANDARD_INPUT } from '../../streams/sources/standard-input.ts'
import { choiceOption, UsageError } from '../cli/arguments.ts'

export const FORMATS = ['ndjson', 'csv', 'tsv', 'parquet', 'car'] as const
type Format = (typeof FORMATS)[number]

/** `format`: of every file, whatever its name. */
export type Reading = { format?: Format; mapping?: Mapping }

export function formatOf(file: string, { format }: Reading): Format {
  if (format !== undefined) return format
  const name = file.toLowerCase()
  const extension = extname(name.endsWith('.car.zst') ? name.slice(0, -4) : name).slice(1)
  return FORMATS.find((each) => each === extension) ?? 'ndjson'
}

export async function readingOf(
  { format, mapping }: { format?: string | undefined; mapping?: string | undefined },
  files: readonly string[],
): Promise<Reading> {
  const reading: Reading =
    format === undefined ? {} : { format: choiceOption('format', format, FORMATS) }
  const formats = files.map((file) => formatOf(file, reading))
  const piped = files.indexOf(STANDARD_INPUT)
  if (piped >= 0 && formats[piped] === 'parquet') {
    throw new UsageError('a Parquet file is read from its end on: name the file instead of "-"')
  }
  if (mapping === undefined) return reading
  const other = files.findIndex((_, index) => OF_NO_COLUMNS[formats[index] ?? ''] !== undefined)
  if (other !== -1) {
    const found = `"${files[other]}" is ${OF_NO_COLUMNS[formats[other] ?? '']}`
    const advice = 'add --format csv, or leave --mapping out'
    throw new UsageError(`--mapping is for CSV and Parquet, and ${found}: ${advice}`)
  }
  return { ...reading, mapping: await mappingOf(mapping) }
}

/** Formats without columns, as people write them. */
const OF_NO_COLUMNS: Readonly<Record<string, string>> = { ndjson: 'NDJSON', car: 'a CAR file' }

async function mappingOf(path: string): Promise<Mapping> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new Error(`--mapping "${path}": ${(cause as Error).message}`, { cause })
  }
  try {
    return readMapping(text)
  } catch (cause) {
    if (!(cause instanceof MappingError)) throw cause
    throw new UsageError(`${path}: ${cause.message}`, { cause })
  }
}
