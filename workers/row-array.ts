/**
 * Rows of a table as one parameter, `$1::"table"[]`, in PostgreSQL's binary form: for rows that a statement is
 * to go through, without a table to put them down in before.
 *
 * An array's header (binary-array.ts) names the type of its elements by its oid, which is a database's own. A row
 * is its length, its count of columns, and of each column the type, then what COPY has. The types of `columns`
 * are those of the table, in its order: a server refuses any other.
 */
import { CopyBuffer } from './binary-copy.ts'

/** Types of columns by their oids, which are the same everywhere. */
export const COLUMN = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  int4Array: 1007,
  numeric: 1700,
} as const

const COUNT_AT = 12
const HEADER_BYTES = 20

/** `rowType`: the oid of the table's rows; `types`: those of its columns. Finished, it is the parameter. */
export function rowArray(capacity: number, rowType: number, types: readonly number[]): CopyBuffer {
  return new CopyBuffer(capacity, { header: headerOf(rowType), countAt: COUNT_AT, types })
}

/** One dimension without nulls; how many elements it has stands in it at the end. */
function headerOf(rowType: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeInt32BE(1, 0)
  header.writeUInt32BE(rowType, 8)
  header.writeInt32BE(1, COUNT_AT + 4)
  return header
}
