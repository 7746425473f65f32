/** Daily files for tests: all swaps of a database as one day. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { exportTables } from '../../../deploy/export/export.ts'
import { INT64_MAX } from '../../../domain/amount.ts'
import { LAKE_LIST, LAKE_VERSION, type Lake } from '../../../lake/folder.ts'
import type { Db } from '../../../sql/db.ts'
import { temporaryFolder } from '../servers/servers.ts'

const DAY = '2026-11-01'

/** The folder of `writeLake()`, removed with the test. */
export async function lakeOf(t: Pick<ExecutionContext, 'teardown'>, db: Db): Promise<string> {
  const folder = join(await temporaryFolder(t), 'lake')
  await writeLake(folder, db)
  return folder
}

/** Writes a folder whose one day has every swap, whatever its time. */
export async function writeLake(folder: string, db: Db): Promise<void> {
  const exported = join(folder, 'exported')
  const files: Lake['days'][number][] = []
  await exportTables(db, {
    ...{ folder: exported, tables: ['swaps'], format: 'parquet', now: Date.now },
    limits: {
      ...{ fromMs: 0, toMs: INT64_MAX, timeframe: '1m', period: '7d', mode: 'raw' },
      isHonest: true,
    },
    signal: new AbortController().signal,
    onRows() {},
    onFile({ rows, bytes, sha256 }) {
      const file = `swaps/${DAY}.parquet`
      files.push({ day: DAY, file, rows, bytes, sha256, content_hash: '', coverage_gaps: [] })
    },
  })
  await mkdir(join(folder, 'swaps'))
  await rename(join(exported, 'swaps.parquet'), join(folder, `swaps/${DAY}.parquet`))
  const lake: Lake = { lake_version: LAKE_VERSION, columns: [], days: files }
  await writeFile(join(folder, LAKE_LIST), JSON.stringify(lake))
}
