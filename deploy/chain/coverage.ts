/**
 * Records which slots a source of chain data has read.
 *
 *   batches -> note()      acknowledged cursors -> acknowledge()      within a second, and at the end -> flush()
 *
 * Invariant: a slot is recorded only after every event of it is stored in SWAP, and every name of a mint in its table. A slot
 * that is not recorded is read again by the next run, and its events are duplicates then.
 *
 * Decision: docs/decisions/0039-lines-do-not-close-gaps.md
 */

import { readChainCursor } from '../../chain/sources/batch.ts'
import { type Coverage, missingParts } from '../../domain/coverage.ts'
import type { StatedName } from '../../domain/events/stated-name.ts'
import type { Log } from '../../domain/log.ts'
import { venueOf } from '../../domain/venue.ts'
import {
  addReadings,
  type SlotReading,
  type WarningChange,
} from '../../sql/chain/decoder-warnings.ts'
import { storeStatedNames } from '../../sql/chain/stated-names.ts'
import { lockCoverage } from '../../sql/coverage.ts'
import { type Db, inTransaction, isRetryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Cursor, SourceBatch } from '../../streams/sources/source.ts'

export type CoverageKey = Pick<Coverage, 'venues' | 'decoderVersion' | 'source' | 'commitment'>

/** A block, and how many swaps were read of it. */
export type ReadBlock = {
  readonly slot: number
  readonly blockhash: string
  readonly swaps: number
}

/** Three days and more: no older slot can be retracted. */
const BLOCKS_LISTED = 1_000_000

const mergeCoverage = query('coverage/merge_coverage')
const deleteOldBlocks = query('coverage/delete_old_blocks')

/**
 * Adds a run of slots with their blocks, each counted once, however often its slot is read, and the
 * readings of the blocks. Returns the warnings that began or ended.
 */
export async function addCoverage(
  db: Db,
  { venues, decoderVersion, source, commitment }: CoverageKey,
  { from, to }: { from: number; to: number },
  blocks: readonly ReadBlock[],
  readings: readonly SlotReading[] = [],
): Promise<WarningChange[]> {
  return inTransaction(db, async (connection) => {
    await lockCoverage(connection)
    const key = [venues, decoderVersion, source, commitment]
    const columns = [
      blocks.map(({ slot }) => slot),
      blocks.map(({ blockhash }) => blockhash),
      blocks.map(({ swaps }) => swaps),
    ]
    await mergeCoverage(connection, [...key, from, to, ...columns, BLOCKS_LISTED])
    await deleteOldBlocks(connection, [BLOCKS_LISTED])
    return addReadings(connection, readings)
  })
}

const FLUSH_MS = 1_000

export class CoverageRecorder {
  readonly #db: Db
  readonly #key: CoverageKey
  readonly #log: Log
  readonly #onFailure: (error: unknown) => void
  /** By slot: blocks that are not recorded yet. */
  readonly #blocks = new Map<number, ReadBlock>()
  /** By slot: readings of blocks that are not recorded yet. */
  readonly #readings = new Map<number, SlotReading>()
  /** The first slot that is not recorded; undefined before the first batch. */
  #next: number | undefined
  /** Slot of the newest batch, and the number of batches. */
  #noted = 0
  #batches = 0
  /** The batch with which the source went back last: acknowledgements before it are of another branch. */
  #wentBackWith = 0
  /** Every event up to this slot is stored. */
  #stored = -1
  /** Names of mints that are not stored yet. */
  #names: StatedName[] = []
  /** Slots that the source passed over. */
  #gaps: { readonly from: number; readonly to: number }[] = []
  /** Slots of blocks whose parent's hash is not known. */
  readonly #unlinked = new Set<number>()
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
  note({ cursor, events, link, gap, units, reading, names = [] }: SourceBatch): void {
    this.#names.push(...names)
    const { slot } = readChainCursor(cursor, 'a recorded source')
    const isOfSlot = units > 0 || link !== undefined || gap !== undefined
    this.#next ??= isOfSlot ? slot : slot + 1
    this.#batches++
    // After a fork the source goes back and yields slots again.
    if (slot < this.#noted) this.#goBackTo(slot)
    this.#noted = slot
    if (gap !== undefined) this.#gaps.push(gap)
    if (reading !== undefined) this.#readings.set(slot, { slot, ...reading })
    if (link === undefined) return
    let swaps = this.#blocks.get(slot)?.swaps ?? 0
    for (const { kind } of events) if (kind === 'swap') swaps++
    this.#blocks.set(slot, { slot, blockhash: link.blockhash, swaps })
    if (link.parentBlockhash === '') this.#unlinked.add(slot)
  }

  #goBackTo(slot: number): void {
    this.#wentBackWith = this.#batches
    this.#next = Math.min(this.#next ?? slot + 1, slot + 1)
    this.#stored = Math.min(this.#stored, slot)
    for (const map of [this.#blocks, this.#readings]) {
      for (const each of map.keys()) if (each > slot) map.delete(each)
    }
    this.#gaps = this.#gaps.filter((gap) => gap.from <= slot)
  }

  /** Every event up to the cursor, which is that of the batch of this number, is stored: recorded within a second. */
  acknowledge(cursor: Cursor, batches: number): void {
    if (batches < this.#wentBackWith) return
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
    // The source may go back meanwhile: slots that are read again are recorded again.
    this.#next = to + 1
    const { venues } = this.#key
    const gaps = this.#gaps.map((gap) => ({ ...gap, venues }))
    const blocks = [...this.#blocks.values()].filter(({ slot }) => slot <= to)
    const readings = [...this.#readings.values()].filter(({ slot }) => slot <= to)
    const names = this.#names.splice(0)
    try {
      // Before the slots: what is recorded is not read again.
      if (names.length > 0) {
        await inTransaction(this.#db, (connection) => storeStatedNames(connection, names))
      }
      for (const part of missingParts(gaps, { from, to }, venues)) {
        for (const { key, ...read } of this.#runsOf(part)) {
          const isOwn = ({ slot }: { slot: number }) => slot >= read.from && slot <= read.to
          const own = [blocks.filter(isOwn), readings.filter(isOwn)] as const
          logChanges(this.#log, await addCoverage(this.#db, key, read, ...own))
        }
      }
      for (const slot of this.#unlinked) if (slot <= to) this.#unlinked.delete(slot)
    } catch (error) {
      this.#next = Math.min(this.#next, from)
      this.#names.push(...names)
      throw error
    }
    this.#gaps = this.#gaps.filter((gap) => gap.to > to)
    for (const block of blocks) {
      if (this.#blocks.get(block.slot) === block) this.#blocks.delete(block.slot)
    }
    for (const reading of readings) {
      if (this.#readings.get(reading.slot) === reading) this.#readings.delete(reading.slot)
    }
  }

  /** A run of slots; those that are linked only by slot are apart, under a source of their own. */
  *#runsOf({ from, to }: SlotRun): Generator<SlotRun & { readonly key: CoverageKey }> {
    let next = from
    for (const slot of [...this.#unlinked].toSorted((one, other) => one - other)) {
      if (slot < next || slot > to) continue
      if (slot > next) yield { from: next, to: slot - 1, key: this.#key }
      yield { from: slot, to: slot, key: { ...this.#key, source: `${this.#key.source}-by-slot` } }
      next = slot + 1
    }
    if (next <= to) yield { from: next, to, key: this.#key }
  }
}

/** Once for each warning, by the process that stored it. */
function logChanges(log: Log, changes: readonly WarningChange[]): void {
  for (const { change, dex, ...fields } of changes) {
    const shown = { venue: venueOf(dex).name, ...fields }
    if (change === 'ended') log.info(shown, 'reject rate returned to its band')
    else if (fields.kind === 'upgrade') log.error(shown, 'program of a venue was changed')
    else if (fields.kind === 'reject_rate') log.error(shown, 'reject rate of a venue left its band')
    else log.warn(shown, 'program of a venue has an unknown discriminator')
  }
}

type SlotRun = { readonly from: number; readonly to: number }
