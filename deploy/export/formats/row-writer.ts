/** Contract of a format: a writer turns batches of rows into the bytes of one file. */
import type { Column, Row } from '../columns.ts'
import type { NewFile } from '../new-file.ts'

export type RowWriter = {
  write(rows: readonly Row[]): Promise<void>
  /** Writes what is left; the file stays open. */
  finish(): Promise<void>
}
export type OpenWriter = (file: NewFile, columns: readonly Column[]) => RowWriter
