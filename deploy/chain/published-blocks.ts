/**
 * The newest blocks of a source that follows the chain, by their hashes. A block is stored before its events are
 * published. So after an end at any moment the next run knows every block whose events may be stored, and retracts those
 * that left the chain meanwhile:
 *
 *   before its first slot   the source compares the parent of its first block (links)
 *   from there on           each slot is read again, and compared here, with the blocks that another replaced, too: the
 *                           run may have ended before their retractions were stored
 *
 * Slots stay covered while the source goes back in a fork, so that a run may end before it has recorded the blocks that
 * replaced others: the next run begins at the first of them (resume-slot.ts).
 */

import { readChainCursor, retracted } from '../../chain/sources/batch.ts'
import { type Db, isRetryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { type ChainLink, type SourceBatch, SourceError } from '../../streams/sources/source.ts'

type LinkRow = {
  slot: number
  blockhash: string
  parent_slot: number
  parent_blockhash: string
  former_blockhashes: string[]
}

const listLinks = query<LinkRow>('coverage/list_links')
const insertLink = query('coverage/insert_link')
const deleteOldLinks = query('coverage/delete_old_links')

/** Far more slots than a fork has, and than are published without an acknowledgement. */
const SLOTS_HELD = 1_000
/** Old blocks are deleted after so many new ones. */
const DELETED_EVERY = 64

type Block = Pick<ChainLink, 'slot' | 'blockhash'>

export class PublishedBlocks {
  /** Blocks, ascending, before the first slot; absent where other sources read the slots in between. */
  readonly links: readonly ChainLink[] | undefined
  readonly #db: Db
  /** Blocks of an earlier run whose slots are still to be read again, ascending. */
  #earlier: readonly Block[]
  #newest: string | undefined
  #count = 0

  private constructor(db: Db, links: readonly ChainLink[] | undefined, earlier: readonly Block[]) {
    this.#db = db
    this.links = links
    this.#earlier = earlier
  }

  /** `from`: first slot, absent for the newest one. `isNext`: it is the one after the slots that such sources covered. */
  static async load(db: Db, from: number | undefined, isNext: boolean): Promise<PublishedBlocks> {
    if (from === undefined) return new PublishedBlocks(db, undefined, [])
    const stored = await listLinks(db)
    const before = stored
      .filter(({ slot }) => slot < from)
      .map((row) => ({
        slot: row.slot,
        blockhash: row.blockhash,
        parentSlot: row.parent_slot,
        parentBlockhash: row.parent_blockhash,
      }))
    const earlier = stored
      .filter(({ slot }) => slot >= from)
      .flatMap(({ slot, blockhash, former_blockhashes: former }) =>
        [...former, blockhash].map((each) => ({ slot, blockhash: each })),
      )
    return new PublishedBlocks(db, isNext ? before : undefined, earlier)
  }

  /**
   * Stores the block of a batch; resolves to the batch, with retractions of an earlier run's blocks before its events. While
   * the database is away it rejects with a retryable SourceError, and the batch counts as not read.
   */
  async pass(batch: SourceBatch): Promise<SourceBatch> {
    const { slot } = readChainCursor(batch.cursor, 'a source that follows the chain')
    if (batch.link !== undefined) await this.#store(batch.link)
    const left = this.#leftOf(slot, batch)
    if (left.length === 0) return batch
    return {
      ...batch,
      events: [...left.map(({ event }) => event), ...batch.events],
      notices: [...left.map(({ notice }) => notice), ...batch.notices],
    }
  }

  /** The earlier blocks up to a slot that the chain has left. */
  #leftOf(slot: number, { link, gap }: SourceBatch): ReturnType<typeof retracted>[] {
    const reached = this.#earlier.filter((each) => each.slot <= slot)
    if (reached.length === 0) return []
    this.#earlier = this.#earlier.slice(reached.length)
    return reached
      .filter((each) => each.slot !== link?.slot || each.blockhash !== link.blockhash)
      .filter((each) => gap === undefined || each.slot < gap.from)
      .map((each) => retracted(each.slot, each.blockhash, 'left the chain before this run'))
  }

  async #store({ slot, blockhash, parentSlot, parentBlockhash }: ChainLink): Promise<void> {
    if (blockhash === this.#newest) return
    try {
      await insertLink(this.#db, [slot, blockhash, parentSlot, parentBlockhash])
      if (this.#count % DELETED_EVERY === 0) await deleteOldLinks(this.#db, [slot - SLOTS_HELD])
    } catch (cause) {
      if (!isRetryable(cause)) throw cause
      const text = `failed to store the hash of block ${slot}`
      throw new SourceError(text, { isRetryable: true, cause })
    }
    this.#newest = blockhash
    this.#count++
  }
}
