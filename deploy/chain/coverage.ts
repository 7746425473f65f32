/**
 * Records which slots a source of chain data has read.
 *
 *   batches -> note()      acknowledged cursors -> acknowledge()      within a second, and at the end -> flush()
 *
 * Invariant: a slot is recorded only after every event of it is stored in SWAP. A slot that is not recorded is read
 * again by the next run, and its events are duplicates then.
 *
 * Decision: docs/decisions/0039-lines-do-not-close-gaps.md
 */
import { type Coverage, missingParts } from '../../domain/coverage.ts'
import type { Log } from '../../domain/log.ts'
import { type Db, isRetryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { readChainCursor } from '../../streams/sources/chain/batch.ts'
import type { Cursor, SourceBatch } from '../../streams/sources/source.ts'

export type CoverageKey = Pick<Coverage, 'venues' | 'decoderVersion' | 'source' | 'commitment'>

const lockCoverage = query('coverage/lock_coverage')
const mergeCoverage = query('coverage/merge_coverage')

/** Adds a run of slots; `swaps` are their numbers by slot. */
export async function addCoverage(
  db: Db,
  { venues, decoderVersion, source, commitment }: CoverageKey,
  { from, to }: { from: number; to: number },
  swaps: ReadonlyMap<number, number>,
): Promise<void> {
  const connection = await db.connect()
  let failure: Error | undefined
  try {
    await connection.query('begin')
    await lockCoverage(connection)
    const key = [venues, decoderVersion, source, commitment]
    await mergeCoverage(connection, [...key, from, to, [...swaps.keys()], [...swaps.values()]])
    await connection.query('commit')
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    connection.release(failure)
  }
}

const FLUSH_MS = 1_000

export class CoverageRecorder {
  readonly #db: Db
  readonly #key: CoverageKey
  readonly #log: Log
  readonly #onFailure: (error: unknown) => void
  /** Number of swaps by slot, of slots that are not recorded yet. */
  readonly #swaps = new Map<number, number>()
  /** The first slot that is not recorded; undefined before the first batch. */
  #next: number | undefined
  /** Slot of the newest batch. */
  #noted = 0
  /** Every event up to this slot is stored. */
  #stored = -1
  /** Slots that the source passed over. */
  #gaps: { readonly from: number; readonly to: number }[] = []
  #timer: NodeJS.Timeout | undefined
  /** Writes follow each other: each begins where the one before it ended. */
  #writing: Promise<void> = Promise.resolve()

  /** `onFailure`: coverage cannot be recorded for good. */
  constructor(db: Db, key: CoverageKey, log: Log, onFailure: (error: unknown) => void) {
    this.#db = db
    this.#key = key
    this.#log = log
    this.#onFailure = onFailure
  }

  /** A batch that the source yielded. */
  note({ cursor, events, gap }: SourceBatch): void {
    const { slot } = readChainCursor(cursor, 'a recorded source')
    this.#next ??= slot
    // After a fork the source goes back and yields slots again.
    if (slot < this.#noted) this.#forgetAfter(slot)
    this.#noted = slot
    if (gap !== undefined) this.#gaps.push(gap)
    let swaps = this.#swaps.get(slot) ?? 0
    for (const { kind } of events) if (kind === 'swap') swaps++
    if (swaps > 0) this.#swaps.set(slot, swaps)
  }

  #forgetAfter(slot: number): void {
    for (const each of this.#swaps.keys()) if (each > slot) this.#swaps.delete(each)
  }

  /** Every event up to the cursor is stored: recorded within a second. */
  acknowledge(cursor: Cursor): void {
    const { slot, events } = readChainCursor(cursor, 'a recorded source')
    this.#stored = events === undefined ? slot : slot - 1
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.flush().catch((error) => this.#failed(error))
    }, FLUSH_MS)
  }

  #failed(error: unknown): void {
    if (isRetryable(error)) this.#log.warn({ err: error }, 'failed to persist coverage; will retry')
    else this.#onFailure(error)
  }

  /** Records everything that is stored. Rejects with the error of the database. */
  flush(): Promise<void> {
    const written = this.#writing.then(() => this.#write())
    this.#writing = written.catch(() => {})
    return written
  }

  /** The last flush; nothing is recorded by itself any more. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.flush()
  }

  async #write(): Promise<void> {
    const from = this.#next
    const to = this.#stored
    if (from === undefined || to < from) return
    const { venues } = this.#key
    const gaps = this.#gaps.map((gap) => ({ ...gap, venues }))
    for (const read of missingParts(gaps, { from, to }, venues)) {
      const isRead = ([slot]: [number, number]) => slot >= read.from && slot <= read.to
      await addCoverage(this.#db, this.#key, read, new Map([...this.#swaps].filter(isRead)))
    }
    this.#next = to + 1
    this.#gaps = this.#gaps.filter((gap) => gap.to > to)
    for (const slot of this.#swaps.keys()) if (slot <= to) this.#swaps.delete(slot)
  }
}
