/**
 * The manifest of an export: its options, the state of the tables that its one snapshot shows, and each file with its
 * rows, bytes, hash and columns. It is written last: a folder without one holds an export that was not finished.
 */
import { readProgram } from '../../api/resources/health/program.ts'
import { INT64_MAX, type Int64 } from '../../domain/amount.ts'
import { listCoverage } from '../../sql/coverage.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { type Column, KINDS } from './columns.ts'
import type { Format } from './formats/format.ts'
import type { Written } from './new-file.ts'
import type { Limits, TableName } from './tables/table.ts'

export const MANIFEST_NAME = 'manifest.json'
/** Raised when a reader of manifests must change. */
const MANIFEST_VERSION = 1

export type Exported = Written & {
  table: TableName
  name: string
  rows: number
  columns: readonly Column[]
}

type StateRow = {
  swaps: number
  newest_slot: number | null
  newest_swap_ms: number | null
  positions_to_recompute: number
  pools_to_repair: number
}
type LaneRow = {
  actor: string
  lane: number
  stream_epoch: string | null
  sequence: Int64
  committed_ms: number | null
}

const readStateRow = query<StateRow>('export/read_state')
const listLanes = query<LaneRow>('export/list_lanes')

/** To be read in the snapshot of the files. */
export async function readState(db: Queryable) {
  const [state] = await readStateRow(db)
  const lanes = await listLanes(db)
  const coverage = (await listCoverage(db)).map(({ from, to, venues, commitment }) => ({
    ...{ from_slot: from, to_slot: to },
    ...{ venues, commitment },
  }))
  return { ...(state as StateRow), lanes, coverage }
}
type State = Awaited<ReturnType<typeof readState>>

type ManifestParts = {
  state: State
  limits: Limits
  format: Format
  files: readonly Exported[]
  createdMs: number
}

export function manifestText({ state, limits, format, files, createdMs }: ManifestParts): string {
  const { fromMs, toMs, timeframe, period, mode, isHonest } = limits
  const { name, version, commit, schema } = readProgram()
  const manifest = {
    manifest_version: MANIFEST_VERSION,
    created_ms: createdMs,
    program: { name, version, commit: commit ?? null, schema },
    options: {
      what: files.map(({ table }) => table),
      format,
      from_ms: fromMs === 0 ? null : fromMs,
      to_ms: toMs === INT64_MAX ? null : toMs,
      timeframe,
      period,
      pnl_mode: mode,
      exclude_arbitrage: isHonest,
    },
    snapshot: state,
    files: files.map(({ table, name, rows, bytes, sha256, columns }) => ({
      ...{ table, name, rows, bytes, sha256 },
      columns: columns.map(({ name, kind, isNullable, description }) => ({
        name,
        type: KINDS[kind],
        nullable: isNullable,
        description,
      })),
    })),
  }
  // A sequence beyond 2^53 is a bigint, which JSON.stringify refuses.
  const exact = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return `${JSON.stringify(manifest, exact, 2)}\n`
}
