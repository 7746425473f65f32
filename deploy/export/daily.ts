/**
 * Writes the lake (`lake/folder.ts`): a file of the swaps of each whole UTC day, oldest first, each from a snapshot of its own.
 *
 * Law: a day is written again when its stored swaps have changed by late swaps, corrections or retractions. The list names a
 * file only once it is whole on the disk, so a run that ends anywhere is continued by the next.
 */
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gapsByVenues } from '../../domain/coverage.ts'
import { TIME_MAX_MS } from '../../domain/time/time.ts'
import { DAY_MS, HOUR_MS } from '../../domain/time/time-bucket.ts'
import { storedSince } from '../../history/sealed/find/stored.ts'
import { sumSwaps } from '../../history/swaps/scan/sums.ts'
import {
  LAKE_LIST,
  LAKE_VERSION,
  type Lake,
  type LakeColumn,
  type LakeDay,
  readLake,
  sizeOf,
} from '../../lake/folder.ts'
import { listCoverage } from '../../sql/coverage.ts'
import { type Connection, cutOff, type Db } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { inSnapshot } from '../../sql/snapshot.ts'
import { UsageError } from '../cli/arguments.ts'
import { counted } from '../cli/format.ts'
import { scratchOf } from '../local/files/durable-file.ts'
import { type Column, KINDS } from './columns.ts'
import { WRITERS } from './formats/format.ts'
import { newFile } from './new-file.ts'
import { swaps } from './tables/swaps.ts'
import { type Limits, slotsOf } from './tables/table.ts'

/** A day is over when a swap is so much later than its end: until then swaps of it arrive in the usual order. */
const GRACE_MS = HOUR_MS
const FOLDER = 'swaps'
const READABLE = 0o444

const findDays = query<{ first_ms: number | null; last_ms: number | null }>('export/find_days')
const tryLock = query<{ is_taken: boolean }>('export/try_lake_lock')
const planWhole = query('export/plan_whole')

type DailyWanted = {
  readonly folder: string
  /** Days that lie within these times are written, Unix ms. */
  readonly limits: Limits
  readonly signal: AbortSignal
  readonly onRows: (day: string, rows: number) => void
  readonly onDay: (day: LakeDay, path: string) => void
}
type DailyCounts = { written: number; unchanged: number }

/** Rejects with the signal's reason when it was aborted, and with UsageError where the folder cannot be used. */
export async function exportDays(db: Db, wanted: DailyWanted): Promise<DailyCounts> {
  const { folder, limits, signal, onDay } = wanted
  await claim(folder)
  const connection = await db.connect()
  const onAbort = () => cutOff(connection)
  signal.addEventListener('abort', onAbort, { once: true })
  const counts = { written: 0, unchanged: 0 }
  try {
    signal.throwIfAborted()
    const [lock] = await tryLock(connection)
    if (lock?.is_taken !== true)
      throw new UsageError('another "export --daily" runs on this database')
    const columns = swaps.columns.map(columnOf)
    let lake = await lakeOf(folder, columns)
    for (const fromMs of await daysOf(connection, limits)) {
      const before = lake.days.find(({ day }) => day === nameOf(fromMs))
      const written = await inSnapshot(connection, () =>
        writeDay(connection, fromMs, before, wanted),
      )
      signal.throwIfAborted()
      counts[written === undefined ? 'unchanged' : 'written'] += 1
      if (written === undefined) continue
      lake = withDay(lake, written)
      await writeList(folder, lake)
      onDay(written, join(folder, written.file))
    }
    return counts
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Ends the session, and with it the lock.
    if (!signal.aborted) connection.release(true)
  }
}

/** Makes the folder. Throws UsageError where that is impossible, or it holds something else. */
async function claim(folder: string): Promise<void> {
  const names = await mkdir(join(folder, FOLDER), { recursive: true })
    .then(() => readdir(folder))
    .catch((cause: Error) => {
      throw new UsageError(`--daily "${folder}" cannot be used: ${cause.message}`, { cause })
    })
  const isLake = names.every((name) => [FOLDER, LAKE_LIST, scratchOf(LAKE_LIST)].includes(name))
  if (!isLake) throw new UsageError(`--daily "${folder}" holds other files: name a new folder`)
}

/** Days with other columns, of another version, are all written again. */
async function lakeOf(folder: string, columns: readonly LakeColumn[]): Promise<Lake> {
  const found = await readLake(folder)
  const isSame = found !== undefined && isDeepStrictEqual(found.columns, columns)
  return isSame ? found : { lake_version: LAKE_VERSION, columns, days: [] }
}

const columnOf = ({ name, kind, isNullable, description }: Column): LakeColumn => ({
  name,
  type: KINDS[kind],
  nullable: isNullable,
  description,
})

const nameOf = (fromMs: number): string => new Date(fromMs).toISOString().slice(0, 10)

/** The first Unix ms of each day that is over, and of which no swap was dropped. */
async function daysOf(
  db: Queryable,
  { fromMs, toMs }: Pick<Limits, 'fromMs' | 'toMs'>,
): Promise<number[]> {
  const [{ first_ms: first, last_ms: last } = { first_ms: null, last_ms: null }] =
    await findDays(db)
  if (first === null || last === null) return []
  const days: number[] = []
  const storedMs = Math.max(fromMs, (await storedSince(db))?.ms ?? 0)
  const begin = Math.max(first, Math.ceil(storedMs / DAY_MS) * DAY_MS)
  for (
    let day = Math.floor(begin / DAY_MS) * DAY_MS;
    day + DAY_MS + GRACE_MS <= last;
    day += DAY_MS
  ) {
    if (day + DAY_MS - 1 <= toMs) days.push(day)
  }
  return days
}

/** The first Unix ms of the earliest day that the folder lacks. */
export async function exportedUntil(db: Db, folder: string): Promise<number> {
  const written = new Set((await readLake(folder))?.days.map(({ day }) => day))
  const days = await daysOf(db, { fromMs: 0, toMs: TIME_MAX_MS })
  return days.find((day) => !written.has(nameOf(day))) ?? (days.at(-1) ?? -DAY_MS) + DAY_MS
}

/** Undefined: the file is there and its swaps have not changed. */
async function writeDay(
  connection: Connection,
  fromMs: number,
  before: LakeDay | undefined,
  { folder, limits, signal, onRows }: DailyWanted,
): Promise<LakeDay | undefined> {
  const toMs = fromMs + DAY_MS - 1
  const slots = await slotsOf(connection, fromMs, toMs)
  const range = { low: slots?.low_slot ?? 0, high: slots?.high_slot ?? -1, fromMs, toMs }
  await planWhole(connection)
  const { swaps: stored, content_hash } = await sumSwaps(connection, range)
  const [day, file] = [nameOf(fromMs), join(FOLDER, `${nameOf(fromMs)}.parquet`)]
  const isUnchanged = before?.content_hash === content_hash && before.rows === stored
  if (isUnchanged && (await sizeOf(join(folder, file))) === before.bytes) return undefined
  const gaps = gapsByVenues(await listCoverage(connection))
  const { rows, ...written } = await writeFile(connection, join(folder, file), {
    limits: { ...limits, fromMs, toMs },
    signal,
    onRows: (count) => onRows(day, count),
  })
  if (rows !== stored)
    throw new Error(`${day}: ${counted(rows, 'row')} written, expected ${stored}`)
  return {
    ...{ day, file, rows, ...written, content_hash },
    coverage_gaps: gaps
      .filter(({ from, to }) => to >= range.low && from <= range.high)
      .map(({ from, to }) => ({ from_slot: from, to_slot: to })),
  }
}

async function writeFile(
  connection: Connection,
  path: string,
  {
    limits,
    signal,
    onRows,
  }: { limits: Limits; signal: AbortSignal; onRows: (rows: number) => void },
): Promise<{ rows: number; bytes: number; sha256: string }> {
  // Left by a run that was killed; the lock excludes another.
  await rm(scratchOf(path), { force: true })
  const file = await newFile(path)
  try {
    const writer = WRITERS.parquet(file, swaps.columns)
    let rows = 0
    for await (const batch of swaps.read(connection, limits)) {
      signal.throwIfAborted()
      await writer.write(batch)
      rows += batch.length
      onRows(rows)
    }
    await writer.finish()
    const written = await file.finish()
    await chmod(path, READABLE)
    return { rows, ...written }
  } catch (error) {
    await file.discard()
    throw error
  }
}

function withDay(lake: Lake, day: LakeDay): Lake {
  const others = lake.days.filter((other) => other.day !== day.day)
  return { ...lake, days: [...others, day].sort((a, b) => (a.day < b.day ? -1 : 1)) }
}

async function writeList(folder: string, lake: Lake): Promise<void> {
  const path = join(folder, LAKE_LIST)
  await rm(scratchOf(path), { force: true })
  const file = await newFile(path)
  await file.write(Buffer.from(`${JSON.stringify(lake, null, 2)}\n`))
  await file.finish()
}
