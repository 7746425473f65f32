/**
 * All slots of a range from a node, in order: several blocks are fetched at once, and at most `parallel` are held.
 *
 * Two answers may come from two nodes that share a URL, of which one lags: getSlot returns slots that getBlocks does not
 * list yet. Slots after the last listed one are therefore listed again until a block of them is known, and a listed slot
 * has a block. Where none becomes known in time, the iteration ends with an error.
 *
 * An answer that a slot was skipped may be wrong: a node that lags or has lost a part of its ledger gives it, too. It is
 * believed when the next block names a parent before that slot; if the next block names that very slot, the slot is
 * fetched until it comes or the client gives up. Skipped slots are therefore yielded together with the next block, and
 * those at the end of the range once the block after them is known.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BlockClient, RpcUnavailable } from './block-client.ts'
import type { FetchSlots, SlotBlock } from './slot-block.ts'

export type FetchOptions = {
  /** Blocks that are fetched at once. */
  parallel?: number
  /** Milliseconds between two looks for a new slot. */
  pollMs?: number
  /** Milliseconds without the slot that comes next after which the node counts as stuck. */
  stuckMs?: number
}

const PARALLEL = 8
/** A slot of the chain lasts 400 ms. */
const POLL_MS = 400
const STUCK_MS = 30_000
/** Slots of one getBlocks request. */
const LISTED_SLOTS = 512
/** Lists without a block, one each `pollMs`, before the newest slot itself is requested: 2 s. */
const EMPTY_LISTS_MAX = 5

/** Throws RpcUnavailable instead of a SourceError. */
export function createFetchSlots(client: BlockClient, options: FetchOptions = {}): FetchSlots {
  return async function* fetchSlots(from, to, signal) {
    // Ends what is fetched ahead when the reader stops.
    const end = new AbortController()
    const bound = AbortSignal.any([signal, end.signal])
    const confirmation = new SkipConfirmation(client, bound)
    try {
      for await (const slotBlock of fetchInOrder(client, from, to, options, bound)) {
        yield* confirmation.add(slotBlock)
      }
      yield* confirmation.finish(to)
    } finally {
      end.abort()
    }
  }
}

async function* fetchInOrder(
  client: BlockClient,
  from: number,
  to: number,
  options: FetchOptions,
  signal: AbortSignal,
): AsyncGenerator<SlotBlock> {
  const { parallel = PARALLEL } = options
  const ahead: Promise<SlotBlock>[] = []
  for await (const planned of planSlots(client, from, to, options, signal)) {
    if (planned !== undefined) {
      const { slot, hasBlock } = planned
      const fetched = hasBlock
        ? client.getBlock(slot, signal, true)
        : Promise.resolve({ slot, block: undefined })
      // The rejection is handled when its turn comes.
      fetched.catch(() => {})
      ahead.push(fetched)
    }
    while (ahead.length >= (planned === undefined ? 1 : parallel)) {
      const first = ahead.shift()
      if (first !== undefined) yield await first
    }
  }
  for (const fetched of ahead) yield await fetched
}

type PlannedSlot = { slot: number; hasBlock: boolean }

/** Slots with what getBlocks knows about them; undefined where the next one has to be waited for. */
async function* planSlots(
  client: BlockClient,
  from: number,
  to: number,
  options: FetchOptions,
  signal: AbortSignal,
): AsyncGenerator<PlannedSlot | undefined> {
  const watch = new SlotWatch(client, options, signal)
  const lists = new SlotLists(client, signal)
  let isUnlisted = false
  for (let next = from; next <= to; ) {
    if (isUnlisted || watch.newest < next) {
      yield undefined
      await watch.reach(next)
    }
    const { blocks, end } = await lists.list(next, to, watch.newest)
    isUnlisted = end < next
    for (; next <= end; next++) yield { slot: next, hasBlock: blocks.has(next) }
  }
}

/** The slots with a block among those up to `end`, of which the list decides. */
type SlotList = { readonly blocks: ReadonlySet<number>; readonly end: number }

/** Lists slots, and doubts a list that ends too early. */
class SlotLists {
  readonly #client: BlockClient
  readonly #signal: AbortSignal
  /** Lists in a row that had no block. */
  #emptyCount = 0

  constructor(client: BlockClient, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
  }

  /** Slots from `next` on. `end` lies before `next` where the node knows no block of them yet: they are listed again. */
  async list(next: number, to: number, newest: number): Promise<SlotList> {
    const end = Math.min(to, next + LISTED_SLOTS - 1, newest)
    const slots = await this.#client.getBlocks(next, end, this.#signal)
    const last = slots.at(-1)
    if (last === undefined)
      return await this.#listEmpty(next, to, end === newest ? newest : undefined)
    this.#emptyCount = 0
    // The newest slot has a block. Before it, the next list or the parent of the next block decides.
    return { blocks: new Set(slots), end: end === newest ? last : end }
  }

  async #listEmpty(next: number, to: number, newest: number | undefined): Promise<SlotList> {
    if (newest === undefined) {
      const block = await this.#client.findBlock(next, this.#signal)
      return { blocks: new Set([block]), end: Math.min(to, block) }
    }
    this.#emptyCount++
    if (this.#emptyCount <= EMPTY_LISTS_MAX) return { blocks: new Set(), end: next - 1 }
    await this.#client.getLink(newest, this.#signal)
    this.#emptyCount = 0
    const slots = await this.#client.getBlocks(next, newest, this.#signal)
    return { blocks: new Set([...slots, newest]), end: newest }
  }
}

/** Looks for the newest slot at most once in `pollMs`, and only when all slots up to the one that it knows were planned. */
class SlotWatch {
  newest = -1
  readonly #client: BlockClient
  readonly #options: FetchOptions
  readonly #signal: AbortSignal
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(client: BlockClient, options: FetchOptions, signal: AbortSignal) {
    this.#client = client
    this.#options = options
    this.#signal = signal
  }

  async reach(wanted: number): Promise<void> {
    const { stuckMs = STUCK_MS } = this.#options
    const startedAt = performance.now()
    for (;;) {
      this.newest = await this.#look()
      if (this.newest >= wanted) return
      if (performance.now() - startedAt > stuckMs) {
        const text = `the newest slot of ${this.#client.host} is ${this.newest}, expected ${wanted}`
        throw new RpcUnavailable(`${text} within ${stuckMs / 1_000} s`, true)
      }
    }
  }

  async #look(): Promise<number> {
    const { pollMs = POLL_MS } = this.#options
    const waitMs = this.#lookedAt + pollMs - performance.now()
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: this.#signal })
    this.#lookedAt = performance.now()
    return await this.#client.getSlot(this.#signal)
  }
}

/** Withholds skipped slots until a later block confirms that there is nothing to fetch. */
class SkipConfirmation {
  readonly #client: BlockClient
  readonly #signal: AbortSignal
  /** Slots since the newest block. */
  #unconfirmed: number[] = []

  constructor(client: BlockClient, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
  }

  async *add(slotBlock: SlotBlock): AsyncGenerator<SlotBlock> {
    if (slotBlock.link === undefined) {
      this.#unconfirmed.push(slotBlock.slot)
      return
    }
    yield* this.#confirm(slotBlock.link.parentSlot)
    yield slotBlock
  }

  /** After the last slot of the range. */
  async *finish(to: number): AsyncGenerator<SlotBlock> {
    yield* this.#requestAgain()
    if (this.#unconfirmed.length === 0) return
    let slot = await this.#client.findBlock(to + 1, this.#signal)
    while (slot > to) slot = (await this.#client.getLink(slot, this.#signal)).parentSlot
    yield* this.#confirm(slot)
  }

  /** `parent`: the slot that the next block names. */
  async *#confirm(parent: number): AsyncGenerator<SlotBlock> {
    if (this.#unconfirmed.includes(parent)) yield* this.#requestAgain(parent)
    const skipped = this.#unconfirmed
    this.#unconfirmed = []
    for (const slot of skipped) yield { slot, block: undefined }
  }

  /** Each of the slots by itself; the list may have lacked it. `certain`: a slot that has a block. */
  async *#requestAgain(certain?: number): AsyncGenerator<SlotBlock> {
    const doubtful = this.#unconfirmed
    this.#unconfirmed = []
    for (const slot of doubtful) {
      yield* this.add(await this.#client.getBlock(slot, this.#signal, slot === certain))
    }
  }
}
