/**
 * Exports tables to files of one folder, all from one snapshot of the database, in constant memory.
 *
 * Law: files are what the API answers at that moment, field by field, because both present rows by the same functions. A
 * run that ends before it is done, however it ends, leaves no manifest and no half file under a final name.
 */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Connection, cutOff, type Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { inSnapshot } from '../../sql/snapshot.ts'
import { UsageError } from '../cli/arguments.ts'
import { type Format, WRITERS } from './formats/format.ts'
import { type Exported, MANIFEST_NAME, manifestText, readState } from './manifest.ts'
import { newFile } from './new-file.ts'
import { candles } from './tables/candles.ts'
import { leaderboard } from './tables/leaderboard.ts'
import { lots } from './tables/lots.ts'
import { positions } from './tables/positions.ts'
import { swaps } from './tables/swaps.ts'
import type { Limits, Table, TableName } from './tables/table.ts'

const TABLES: Readonly<Record<TableName, Table>> = { swaps, candles, positions, lots, leaderboard }
const planWhole = query('export/plan_whole')

type ExportWanted = {
  folder: string
  tables: readonly TableName[]
  limits: Limits
  format: Format
  signal: AbortSignal
  now: () => number
  onRows: (table: TableName, rows: number) => void
  onFile: (file: Exported, path: string) => void
}

/** Resolves with the path of the manifest. Rejects with the signal's reason when it was aborted. */
export async function exportTables(db: Db, wanted: ExportWanted): Promise<string> {
  const { folder, limits, format, signal, now } = wanted
  await claimFolder(folder)
  const connection = await db.connect()
  // A statement that sorts for minutes would otherwise outlive the command.
  const onAbort = () => cutOff(connection)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    signal.throwIfAborted()
    const { state, files } = await inSnapshot(connection, () => exportAll(connection, wanted))
    signal.throwIfAborted()
    const manifest = await newFile(join(folder, MANIFEST_NAME))
    await manifest.write(
      Buffer.from(manifestText({ state, limits, format, files, createdMs: now() })),
    )
    await manifest.finish()
    return join(folder, MANIFEST_NAME)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    if (!signal.aborted) connection.release()
  }
}

async function exportAll(connection: Connection, wanted: ExportWanted) {
  const state = await readState(connection)
  const files: Exported[] = []
  for (const name of wanted.tables) files.push(await exportTable(connection, name, wanted))
  return { state, files }
}

async function exportTable(
  connection: Connection,
  name: TableName,
  { folder, limits, format, signal, onRows, onFile }: ExportWanted,
): Promise<Exported> {
  const { columns, read } = TABLES[name]
  await planWhole(connection)
  const path = join(folder, `${name}.${format}`)
  const file = await newFile(path)
  try {
    const writer = WRITERS[format](file, columns)
    let count = 0
    for await (const rows of read(connection, limits)) {
      signal.throwIfAborted()
      await writer.write(rows)
      count += rows.length
      onRows(name, count)
    }
    await writer.finish()
    const written = await file.finish()
    const exported = { table: name, name: `${name}.${format}`, rows: count, columns, ...written }
    onFile(exported, path)
    return exported
  } catch (error) {
    await file.discard()
    throw error
  }
}

/** Makes the folder. Throws UsageError where that is impossible, or it holds anything. */
async function claimFolder(folder: string): Promise<void> {
  const names = await mkdir(folder, { recursive: true })
    .then(() => readdir(folder))
    .catch((cause: Error) => {
      throw new UsageError(`--output "${folder}" cannot be used: ${cause.message}`, { cause })
    })
  if (names.length === 0) return
  const isFinished = names.includes(MANIFEST_NAME)
  const isBegun = names.some((name) => Object.keys(TABLES).includes(name.split('.')[0] ?? ''))
  const found = isFinished
    ? 'holds an export already: name a new folder'
    : isBegun
      ? `holds an export that was not finished (it has no ${MANIFEST_NAME}): remove the folder, or name a new one`
      : 'is not empty: name a new folder, or an empty one'
  throw new UsageError(`--output "${folder}" ${found}`)
}
