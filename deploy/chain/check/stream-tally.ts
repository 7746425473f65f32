/** Counts the updates of a Yellowstone stream while it is watched. Pure, but for what it remembers. */
import type { BlockUpdate, MetaUpdate, SlotStatus } from '../../../chain/sources/geyser/update.ts'

type Slot = {
  statuses: SlotStatus[]
  meta: MetaUpdate | undefined
  /** Indexes of the transactions whose status came, and of those that must have come with it. */
  executed: Set<number>
  wanted: Set<number>
  transactions: Set<number>
}

/** The order in which a slot reaches them; other statuses come in any order. */
const RANKED: readonly SlotStatus[] = ['processed', 'confirmed', 'finalized']

export class StreamTally {
  readonly counts = { slots: 0, transactions: 0, executed: 0, metas: 0 }
  readonly statuses = new Set<SlotStatus>()
  bytes = 0
  newestMeta: MetaUpdate | undefined
  readonly #slots = new Map<number, Slot>()
  /** The slot of the first transaction: its beginning may have been missed. */
  #first: number | undefined

  add(update: BlockUpdate, bytes: number): void {
    this.bytes += bytes
    const slot = this.#slotOf(update.slot)
    if (update.kind === 'slot') {
      this.counts.slots++
      if (update.status === undefined) return
      this.statuses.add(update.status)
      slot.statuses.push(update.status)
      return
    }
    this.#first ??= update.slot
    if (update.kind === 'meta') {
      this.counts.metas++
      slot.meta = update
      if (update.slot >= (this.newestMeta?.slot ?? 0)) this.newestMeta = update
    } else if (update.kind === 'transaction') {
      this.counts.transactions++
      slot.transactions.add(update.transaction.index)
    } else {
      this.counts.executed++
      slot.executed.add(update.index)
      if (update.isWanted) slot.wanted.add(update.index)
    }
  }

  /** Slots with a block meta; of the `youngest` ones, those of which something lacks are not counted yet. */
  completeness(youngest: number): { complete: number; incomplete: number[] } {
    const whole = Array.from(this.#slots)
      .filter(([slot, { meta }]) => meta !== undefined && slot !== this.#first)
      .sort(([a], [b]) => a - b)
    const incomplete = whole.filter(([, slot]) => !isComplete(slot)).map(([slot]) => slot)
    const young = new Set(whole.slice(whole.length - youngest).map(([slot]) => slot))
    return {
      complete: whole.length - incomplete.length,
      incomplete: incomplete.filter((slot) => !young.has(slot)),
    }
  }

  /** Slots whose statuses came in another order than processed, confirmed, finalized. */
  get disordered(): number[] {
    return Array.from(this.#slots)
      .filter(([, { statuses }]) => {
        const ranks = statuses.map((status) => RANKED.indexOf(status)).filter((rank) => rank >= 0)
        return ranks.some((rank, at) => rank < (ranks[at - 1] ?? 0))
      })
      .map(([slot]) => slot)
  }

  #slotOf(number: number): Slot {
    let slot = this.#slots.get(number)
    if (slot === undefined) {
      slot = {
        statuses: [],
        meta: undefined,
        executed: new Set(),
        wanted: new Set(),
        transactions: new Set(),
      }
      this.#slots.set(number, slot)
    }
    return slot
  }
}

function isComplete({ meta, executed, wanted, transactions }: Slot): boolean {
  if (meta?.executedCount !== executed.size) return false
  return [...wanted].every((index) => transactions.has(index))
}
