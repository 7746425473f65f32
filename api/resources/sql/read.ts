/**
 * Queries of the daily files of swaps, some at once in each process. An error of the caller is 400, and one of
 * the files or the program 503.
 */
import { parseExact } from '../../../domain/text/exact-json.ts'
import { LakeUnusable, lakeFiles } from '../../../lake/folder.ts'
import type { Refusal } from '../../../lake/jail/limits.ts'
import { QueryRefused, runQuery } from '../../../lake/jail/run.ts'
import { ApiError, type ErrorCode } from '../../routing/error.ts'
import { SQL_LENGTH_MAX, type SqlAnswer } from './schema.ts'

/** A query takes two cores while it runs. */
const QUERIES_MAX = 2
const BYTES_MAX = 8 * 1024 ** 2
const QUERY_MS = 15_000

const CODES: Record<Refusal, ErrorCode> = {
  refused: 'INVALID_PARAM',
  invalid: 'INVALID_PARAM',
  memory: 'INVALID_PARAM',
  time: 'GATEWAY_TIMEOUT',
  ended: 'INTERNAL',
  absent: 'UNAVAILABLE',
  files: 'UNAVAILABLE',
}

type Query = { readonly sql: string; readonly limit: number }

export class SqlQueries {
  readonly #folder: string
  #running = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Rejects with ApiError, or with the signal's reason. */
  async answer({ sql, limit }: Query, signal: AbortSignal): Promise<SqlAnswer> {
    if (sql.length > SQL_LENGTH_MAX) {
      throw new ApiError('INVALID_PARAM', `sql: expected ${SQL_LENGTH_MAX} characters at most`)
    }
    if (this.#running >= QUERIES_MAX) {
      throw new ApiError('UNAVAILABLE', `${this.#running} queries run already: try again`)
    }
    this.#running += 1
    try {
      return await this.#run({ sql, limit }, signal)
    } catch (error) {
      throw asApiError(error)
    } finally {
      this.#running -= 1
    }
  }

  async #run({ sql, limit }: Query, signal: AbortSignal): Promise<SqlAnswer> {
    const { lake, paths } = await lakeFiles(this.#folder)
    const limits = { rows: limit, bytes: BYTES_MAX, ms: QUERY_MS }
    const { columns, rows, truncated } = await runQuery({ sql, paths, limits, signal })
    const { days } = lake
    return {
      columns: [...columns],
      rows: rows.map((row) => parseExact(row)),
      truncated,
      first_day: days[0]?.day ?? '',
      last_day: days.at(-1)?.day ?? '',
      day_count: days.length,
      days_with_gaps: days.filter((day) => day.coverage_gaps.length > 0).length,
    }
  }
}

function asApiError(error: unknown): unknown {
  if (error instanceof LakeUnusable) {
    // Paths are the operator's: they are logged with the cause.
    return new ApiError('UNAVAILABLE', 'the daily files are not usable now', { cause: error })
  }
  if (!(error instanceof QueryRefused)) return error
  const code = CODES[error.refusal]
  const isOwn = ['ended', 'absent', 'files'].includes(error.refusal)
  return new ApiError(code, isOwn ? 'the query could not be run' : `sql: ${error.message}`, {
    cause: error,
  })
}
