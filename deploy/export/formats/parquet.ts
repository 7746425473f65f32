/**
 * Rows as Parquet, a row group at a time: at most one group is in memory, and the next is encoded only after the disk
 * took the one before. The bytes depend on the rows only, not on how they came in batches.
 */
import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { Column, Kind, Value } from '../columns.ts'
import type { NewFile } from '../new-file.ts'
import type { RowWriter } from './row-writer.ts'

/** Some 30 columns of so many rows are 50 MB of values; DuckDB reads groups of about this size in parallel. */
const GROUP_ROWS = 50_000
/** At zstd's usual level; every reader of today has it, and it is Node's own. */
const COMPRESSORS: Record<string, (input: Uint8Array) => Uint8Array> = {
  ZSTD: (input) => zstdCompressSync(input),
}
/** Two's complement, big-endian: holds 38 digits. */
const DECIMAL_BYTES = 16
const DECIMAL_DIGITS = 38

/** A file's bytes leave the library's buffer after each row group. */
class FileBytes extends ByteWriter {
  private readonly file: NewFile

  constructor(file: NewFile) {
    super()
    this.file = file
  }

  async flush(): Promise<void> {
    await this.file.write(this.getBytes())
    this.index = 0
  }

  override finish(): Promise<void> {
    return this.flush()
  }
}

export function parquetWriter(file: NewFile, columns: readonly Column[]): RowWriter {
  const writer = new ParquetWriter({
    writer: new FileBytes(file),
    schema: [{ name: 'row', num_children: columns.length }, ...columns.flatMap(elementsOf)],
    codec: 'ZSTD',
    compressors: COMPRESSORS,
    createdBy: 'swaptide',
  })
  let group: unknown[][] = columns.map(() => [])
  let rowCount = 0

  const writeGroup = async (): Promise<void> => {
    const [values, rowGroupSize] = [group, rowCount]
    group = columns.map(() => [])
    rowCount = 0
    await writer.write({
      columnData: columns.map(({ name }, at) => ({ name, data: values[at] ?? [] })),
      rowGroupSize,
    })
  }

  return {
    async write(rows) {
      for (const row of rows) {
        columns.forEach(({ name, kind }, at) => {
          group[at]?.push(storedOf(row[name] ?? null, kind))
        })
        rowCount += 1
        if (rowCount === GROUP_ROWS) await writeGroup()
      }
    },
    async finish() {
      if (rowCount > 0) await writeGroup()
      await writer.finish()
    },
  }
}

function storedOf(value: Value, kind: Kind): unknown {
  if (value === null || (kind !== 'int64' && kind !== 'sum')) return value
  return BigInt(value as number | bigint)
}

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
/** Each is a leaf of the schema. */
const LEAVES = {
  boolean: { type: 'BOOLEAN' },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  sum: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: DECIMAL_BYTES,
    converted_type: 'DECIMAL',
    precision: DECIMAL_DIGITS,
    scale: 0,
  },
  double: { type: 'DOUBLE' },
  text: TEXT,
} as const satisfies Record<Exclude<Kind, 'texts'>, Omit<SchemaElement, 'name'>>

function elementsOf({ name, kind, isNullable }: Column): SchemaElement[] {
  const repetition_type = isNullable ? 'OPTIONAL' : 'REQUIRED'
  if (kind !== 'texts') return [{ name, repetition_type, ...LEAVES[kind] }]
  return [
    { name, repetition_type, converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'REQUIRED', ...TEXT },
  ]
}
