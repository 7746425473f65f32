/**
 * Rows of a Parquet file as texts, one row group at a time: memory depends on the largest row group, not on the file.
 *
 * Law: no digit is lost. hyparquet converts decimals and times through doubles, so the logical types are taken out of the
 * metadata before it decodes: integers come as they are stored, decimals as their unscaled integers, and are printed here.
 * Bytes that are no UTF-8 become a lone surrogate, which no field accepts. Throws ParquetError. See
 * docs/decisions/0054-tables-are-read-as-texts.md.
 */

import { isUtf8 } from 'node:buffer'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  type SchemaElement,
} from 'hyparquet'
import { counted } from '../../../domain/text/plural.ts'
import type { Column, Row } from './row-reader.ts'

export class ParquetError extends Error {
  override name = 'ParquetError'
}

export type ParquetFile = {
  columns: readonly Column[]
  rowCount: number
  /** Rows after the first `from`, in runs of at most ROWS_MAX; `names` are columns that are usable. */
  rows: (names: readonly string[], from: number) => AsyncGenerator<Row[]>
}

type Printer = (value: unknown) => string | undefined

const ROWS_MAX = 2_000
/** Bound of the used columns of a row group, uncompressed. The usual writers make groups of less than a tenth of it. */
const GROUP_BYTES_MAX = 2 ** 30
const MAGIC = 'PAR1'

/** hyparquet itself has Snappy. The sizes are those that the file states, so no page grows beyond its own. */
const COMPRESSORS: Compressors = {
  GZIP: (input, size) => gunzipSync(input, { maxOutputLength: Math.max(1, size) }),
  BROTLI: (input, size) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, size) }),
  ZSTD: (input, size) => zstdDecompressSync(input, { maxOutputLength: Math.max(1, size) }),
}

export async function openParquet(file: AsyncBuffer): Promise<ParquetFile> {
  await expectMagic(file)
  const metadata = await reading('the footer', () =>
    parquetMetadataAsync(file, { geoparquet: false }),
  )
  const printers = new Map<string, Printer>()
  const columns = flatColumns(metadata).map(({ element, isNested }) => {
    const { column, print } = isNested ? nested(element) : describe(element)
    printers.set(element.name, print)
    return column
  })
  const rows = (names: readonly string[], from: number) =>
    readRows({ file, metadata }, names, printers, from)
  return { columns, rowCount: Number(metadata.num_rows), rows }
}

/** Codecs of the pages that are read; UNCOMPRESSED and SNAPPY without a function of ours. */
const CODECS: ReadonlySet<string> = new Set(['UNCOMPRESSED', 'SNAPPY', ...Object.keys(COMPRESSORS)])
const ENCRYPTED_MAGIC = 'PARE'
const ENCRYPTED = 'the file is encrypted: write it without encryption'

async function expectMagic(file: AsyncBuffer): Promise<void> {
  const magicAt = async (at: number) => Buffer.from(await file.slice(at, at + 4)).toString('latin1')
  const isShort = file.byteLength < 12
  if (!isShort && (await magicAt(0)) === ENCRYPTED_MAGIC) throw new ParquetError(ENCRYPTED)
  if (isShort || (await magicAt(0)) !== MAGIC) {
    throw new ParquetError(`not a Parquet file: expected it to begin with "${MAGIC}"`)
  }
  if ((await magicAt(file.byteLength - 4)) === MAGIC) return
  throw new ParquetError(
    `expected the file to end with "${MAGIC}": it is truncated, and without its end no row can be read`,
  )
}

/** An error of hyparquet about a sound file; a number that no version of the format knows is "undefined", so damage. */
const UNSUPPORTED = /\bunsupported\b(?!.*undefined)/

/** An error of hyparquet is a finding about the file: it has no classes of errors. */
async function reading<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).syscall !== undefined) throw cause
    const { message } = cause as Error
    if (UNSUPPORTED.test(message)) {
      throw new ParquetError(`cannot read ${what}: ${message}: write it with other settings`, {
        cause,
      })
    }
    throw new ParquetError(`cannot read ${what}: ${message}: is the file damaged?`, { cause })
  }
}

/** The elements directly under the root; those below them belong to nested columns. */
function flatColumns({ schema }: FileMetaData): { element: SchemaElement; isNested: boolean }[] {
  const found: { element: SchemaElement; isNested: boolean }[] = []
  for (let at = 1; at < schema.length; ) {
    const element = schema[at] as SchemaElement
    const size = subtreeSize(schema, at)
    found.push({ element, isNested: size > 1 || element.repetition_type === 'REPEATED' })
    at += size
  }
  return found
}

function subtreeSize(schema: readonly SchemaElement[], root: number): number {
  let open = schema[root]?.num_children ?? 0
  let size = 1
  while (open > 0 && root + size < schema.length) {
    open += (schema[root + size]?.num_children ?? 0) - 1
    size++
  }
  return size
}

function nested({ name }: SchemaElement): { column: Column; print: Printer } {
  return { column: { name, unusable: 'is nested: expected a flat column' }, print: () => undefined }
}

const UNITS = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' } as const
const UNIT_OF_CONVERTED = { TIMESTAMP_MILLIS: 'ms', TIMESTAMP_MICROS: 'us' } as const

/** How a column is printed. Takes its logical type out of the metadata, which its values are decoded by. */
function describe(element: SchemaElement): { column: Column; print: Printer } {
  const { name, type, converted_type: converted, logical_type: logical, scale = 0 } = element
  delete element.converted_type
  delete element.logical_type
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const digits = logical?.type === 'DECIMAL' ? logical.scale : scale
    const column = { name, isDecimal: true }
    return { column, print: (value) => printDecimal(unscaled(value), digits) }
  }
  if (type === 'INT96') {
    // hyparquet passes these on as nanoseconds.
    return { column: { name, unit: 'ns' }, print: printPlain }
  }
  const unit =
    logical?.type === 'TIMESTAMP'
      ? UNITS[logical.unit]
      : UNIT_OF_CONVERTED[converted as keyof typeof UNIT_OF_CONVERTED]
  if (unit !== undefined) return { column: { name, unit }, print: printPlain }
  const isUnsigned = logical?.type === 'INTEGER' ? !logical.isSigned : /^UINT/.test(converted ?? '')
  if (isUnsigned && (type === 'INT64' || type === 'INT32')) {
    return { column: { name }, print: type === 'INT64' ? printUnsigned64 : printUnsigned32 }
  }
  if (type === 'FLOAT' || type === 'DOUBLE') {
    return { column: { name, isFloat: true, isSingle: type === 'FLOAT' }, print: printPlain }
  }
  const isText = logical === undefined || ['STRING', 'ENUM', 'JSON'].includes(logical.type)
  if (type === 'BYTE_ARRAY' && isText) return { column: { name }, print: printBytes }
  if (type === 'INT64' || type === 'INT32' || type === 'BOOLEAN') {
    return { column: { name }, print: printPlain }
  }
  const unusable = `is of type ${logical?.type ?? converted ?? type}, which is not read`
  return { column: { name, unusable }, print: () => undefined }
}

const isAbsent = (value: unknown): value is null | undefined =>
  value === undefined || value === null

const printPlain: Printer = (value) => (isAbsent(value) ? undefined : String(value))
const printUnsigned64: Printer = (value) =>
  isAbsent(value) ? undefined : String(BigInt.asUintN(64, value as bigint))
const printUnsigned32: Printer = (value) =>
  isAbsent(value) ? undefined : String((value as number) >>> 0)

const printBytes: Printer = (value) => {
  if (isAbsent(value)) return undefined
  const bytes = value as Uint8Array
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return isUtf8(bytes) ? text : `${text}\udc80`
}

/** Big-endian two's complement, or an integer. */
function unscaled(value: unknown): bigint | undefined {
  if (isAbsent(value)) return undefined
  if (!(value instanceof Uint8Array)) return BigInt(value as number | bigint)
  if (value.length === 0) return 0n
  const hex = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')
  return BigInt.asIntN(8 * value.length, BigInt(`0x${hex}`))
}

function printDecimal(value: bigint | undefined, scale: number): string | undefined {
  if (value === undefined) return undefined
  if (scale <= 0) return String(value)
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  const sign = value < 0n ? '-' : ''
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

async function* readRows(
  { file, metadata }: { file: AsyncBuffer; metadata: FileMetaData },
  names: readonly string[],
  printers: ReadonlyMap<string, Printer>,
  from: number,
): AsyncGenerator<Row[]> {
  const columns = [...names]
  const parsers = { timestampFromNanoseconds: (nanoseconds: bigint) => nanoseconds }
  const scan = await reading('the schema', () =>
    parquetScan({ file, metadata, columns, parsers, utf8: false, compressors: COMPRESSORS }),
  )
  for (const index of metadata.row_groups.keys()) expectCodecs(metadata, index, columns)
  const printer = columns.map((name) => printers.get(name) ?? printPlain)
  let rowStart = 0
  for (const [index, group] of metadata.row_groups.entries()) {
    const rowEnd = rowStart + Number(group.num_rows)
    if (rowEnd > Math.max(rowStart, from)) {
      expectFitting(metadata, index, columns)
      const read = (column: string) => scan.readColumn({ column, rowStart, rowEnd })
      const group = await reading(`row group ${index + 1}`, () => Promise.all(columns.map(read)))
      const length = rowEnd - rowStart
      const short = group.findIndex((cells) => cells.length !== length)
      if (short >= 0) {
        const found = `${counted(group[short]?.length ?? 0, 'cell')} of ${counted(length, 'row')}`
        throw new ParquetError(`row group ${index + 1} has ${found} in column "${columns[short]}"`)
      }
      for (let at = Math.max(0, from - rowStart); at < length; at += ROWS_MAX) {
        yield printedRows(group, printer, at, Math.min(length, at + ROWS_MAX))
      }
    }
    rowStart = rowEnd
  }
}

/** Pages that are compressed or encrypted in a way that is not read are no damage. */
function expectCodecs(metadata: FileMetaData, index: number, columns: readonly string[]): void {
  for (const { meta_data: chunk, crypto_metadata: encryption } of metadata.row_groups[index]
    ?.columns ?? []) {
    const name = chunk?.path_in_schema[0]
    if (name !== undefined && !columns.includes(name)) continue
    if (encryption !== undefined) throw new ParquetError(ENCRYPTED)
    // A codec that the format lacks is reported where the page is read, as damage.
    if (chunk?.codec === undefined || CODECS.has(chunk.codec)) continue
    const found = `the pages of column "${name}" are compressed with ${chunk.codec}`
    const expected = `expected one of ${[...CODECS].join(' ')}: write the file with one of these`
    throw new ParquetError(`${found}, which is not read: ${expected}`)
  }
}

function expectFitting(metadata: FileMetaData, index: number, columns: readonly string[]): void {
  let bytes = 0
  for (const { meta_data: chunk } of metadata.row_groups[index]?.columns ?? []) {
    if (chunk === undefined || !columns.includes(chunk.path_in_schema[0] ?? '')) continue
    bytes += Number(chunk.total_uncompressed_size)
  }
  if (bytes <= GROUP_BYTES_MAX) return
  const found = `row group ${index + 1} has ${bytes} bytes in the columns that are read`
  throw new ParquetError(`${found}: expected at most 1 GiB: write the file with smaller row groups`)
}

function printedRows(
  group: readonly ArrayLike<unknown>[],
  printer: readonly Printer[],
  start: number,
  end: number,
): Row[] {
  const rows: Row[] = []
  for (let at = start; at < end; at++) {
    rows.push(group.map((cells, index) => (printer[index] as Printer)(cells[at])))
  }
  return rows
}
