/**
 * Encodes ranked tokens as rows of a COPY, before the next batch changes their metrics. A row names the windows of
 * its figures, because its reader may be of a version with other windows.
 */
import { lamportsToSol } from '../../../domain/amount.ts'
import { MOVER_FIGURES, TREND_FIGURES, TREND_WINDOWS } from '../../../domain/ranking.ts'
import { int4Array } from '../../../sql/binary/arrays.ts'
import { CopyBuffer } from '../../../sql/binary/copy-writer.ts'
import {
  MOVER_WIDTH_INDEXES,
  moverFigures,
  WIDTHS,
  type WindowMetrics,
} from '../series/window-metrics.ts'
import type { RankedToken } from './snapshots.ts'

/** Columns are named, because a later version may add others. */
export const COPY_TRENDING_STAGE = `copy trending_token_stage (
  token_id, mint, window_minutes, changes, figures
) from stdin (format binary)`
export const COPY_MOVER_STAGE = `copy mover_token_stage (
  token_id, dex, mint, window_minutes, figures
) from stdin (format binary)`

type Figures = readonly (number | null)[]

const TRENDING_COLUMNS = 5
const MOVER_COLUMNS = 5
/** The array of windows of every row, encoded once. */
const TRENDING_WINDOWS = int4Array(WIDTHS)
const MOVER_WINDOWS = int4Array(MOVER_WIDTH_INDEXES.map((widthIndex) => WIDTHS[widthIndex]!))
/** Upper bounds of a row's bytes: lengths, ids, an address and headers of arrays; a figure. */
const ROW_BYTES = 256
const FIGURE_BYTES = 12
const TRENDING_BYTES =
  ROW_BYTES + TRENDING_WINDOWS.length + FIGURE_BYTES * TREND_WINDOWS.length * (TREND_FIGURES + 1)
const MOVER_BYTES =
  ROW_BYTES + MOVER_WINDOWS.length + FIGURE_BYTES * MOVER_WIDTH_INDEXES.length * MOVER_FIGURES

const NO_TREND: Figures = new Array(TREND_FIGURES).fill(null)
const NO_MOVE: Figures = new Array(MOVER_FIGURES).fill(null)

/** Figures of a window as `trending_token` stores them. */
export function trendFigures({ score, volume, parts }: WindowMetrics): Figures {
  return [plain(score), plain(lamportsToSol(volume)), ...parts.map(plain)]
}

/** Figures of a window on a venue, or on all, as `mover_token` stores them. */
export function movedFigures(window: WindowMetrics | undefined, dex: number): Figures {
  const figures = window === undefined ? undefined : moverFigures(window, dex)
  return figures === undefined ? NO_MOVE : figures.map(plain)
}

/** In the order of the columns of `trending_token`. */
export function encodeTrending(tokens: readonly RankedToken[]): Buffer {
  const rows = new CopyBuffer(tokens.length * TRENDING_BYTES)
  for (const { tokenId, mint, figures } of tokens) {
    rows.row(TRENDING_COLUMNS, TRENDING_BYTES)
    rows.int4(tokenId)
    rows.ascii(mint)
    rows.raw(TRENDING_WINDOWS)
    rows.float8Array(figures.map((window) => plain(window?.changePct ?? null)))
    rows.float8Array(
      figures.flatMap((window) => (window === undefined ? NO_TREND : trendFigures(window))),
    )
  }
  return rows.finish()
}

/** A token that moved, on a venue or on all. */
export type Mover = { token: RankedToken; dex: number }

/** In the order of the columns of `mover_token`. */
export function encodeMovers(movers: readonly Mover[]): Buffer {
  const rows = new CopyBuffer(movers.length * MOVER_BYTES)
  for (const { token, dex } of movers) {
    rows.row(MOVER_COLUMNS, MOVER_BYTES)
    rows.int4(token.tokenId)
    rows.int2(dex)
    rows.ascii(token.mint)
    rows.raw(MOVER_WINDOWS)
    rows.float8Array(
      MOVER_WIDTH_INDEXES.flatMap((widthIndex) => movedFigures(token.figures[widthIndex], dex)),
    )
  }
  return rows.finish()
}

/** A figure that JSON can represent: null where it is not finite, and 0 for -0. */
export function plain(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : value + 0
}
