/** Bounds of a query, and the messages between the service and the program that runs it. */

export type QueryLimits = {
  /** Rows of the answer. */
  readonly rows: number
  /** Bytes of the rows as JSON. */
  readonly bytes: number
  /** From the start of the program to the last row, ms. */
  readonly ms: number
}

/** Memory that DuckDB plans with, and that the program may have at most, MiB: DuckDB does not count what scalar functions take. */
export const PLANNED_MIB = 512
export const MEMORY_MIB = 1_228
/** Files that the program may have open besides those of the lake. */
export const OPEN_FILES = 64
/** Threads of one query. */
export const THREADS = 2

/** Read by the program from its standard input, which then ends. */
export type QueryRequest = {
  readonly sql: string
  /** Absolute paths of the swaps' files. */
  readonly files: readonly string[]
  readonly rows: number
  readonly bytes: number
}

/** `type`: DuckDB's name. */
export type ResultColumn = { readonly name: string; readonly type: string }

/** A bound of the answer that was met; null: it is whole. */
export type Truncation = 'rows' | 'bytes' | null

/**
 * Why a query has no answer: it is not permitted, DuckDB refuses it, it takes more memory or time than it may, its program
 * ended, DuckDB is not installed, or a daily file cannot be read.
 */
export type Refusal = 'refused' | 'invalid' | 'memory' | 'time' | 'ended' | 'absent' | 'files'

/** Lines that the program writes to its channel, one JSON text each; lines of rows are arrays. */
export type Head = { readonly columns: readonly ResultColumn[] }
export type Tail = { readonly truncated: Truncation }
export type Failure = { readonly failure: Refusal; readonly message: string }

/** The descriptor of the channel. Standard output belongs to whatever a query makes DuckDB print. */
export const CHANNEL = 3
