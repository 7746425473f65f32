/** The table of formats of an export: the name of each is the ending of its files, too. */
import { csvWriter, ndjsonWriter } from './lines.ts'
import { parquetWriter } from './parquet.ts'
import type { OpenWriter } from './row-writer.ts'

export const FORMATS = ['parquet', 'csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

export const WRITERS: Readonly<Record<Format, OpenWriter>> = {
  parquet: parquetWriter,
  csv: csvWriter,
  ndjson: ndjsonWriter,
}
