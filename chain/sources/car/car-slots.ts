/**
 * All slots of a range from the blocks of CAR files, in order.
 *
 * Each block names its parent, which must be the block before it: a block that is missing, or that comes out of order, ends the
 * iteration with an error that names its slot. Slots between a block and its parent were skipped. Those after the last block
 * of an epoch were skipped where its file was read up to its root, which lists all blocks of the epoch.
 *
 * The hash of the parent is that of the block before it. Where no block was read before, it is what `parentHashOf` finds; absent, it
 * is '', and the block is linked only by its parent's slot.
 */
import { SourceError } from '../../../streams/sources/source.ts'
import type { SlotBlock } from '../blocks/slot-block.ts'
import { decodeCarBlock } from './decode-car-block.ts'
import { epochOf, refusalOf, warningOf } from './epochs.ts'
import type { CarBlock } from './format/blocks.ts'
import {
  type BlockEnd,
  type CarBytes,
  explainedCarError,
  readCarBlocks,
} from './format/read-blocks.ts'
import type { SlotRanges } from './slot-ranges.ts'

export type CarSlotsOptions = {
  /** The hash of a block's parent, by a node that has the block. Throws SourceError. */
  parentHashOf?: ((block: CarBlock, signal: AbortSignal) => Promise<string>) | undefined
  /** Called once an epoch with a flaw that is known of its archive. */
  onWarning?: ((text: string) => void) | undefined
}

/** A block that was read, with what its successor needs. */
export type ReadBlock = {
  readonly slot: number
  readonly blockhash: string
  /** Offset in its file of the byte after it. */
  readonly end: number
}

/** `from` is undefined for a file that is read from its first block on. */
type CarRange = { readonly from: number | undefined; readonly to: number }

/** `before`: the block that ends where the bytes begin, if it is known. */
type CarInput = CarBytes & {
  readonly ranges?: SlotRanges | undefined
  readonly before?: ReadBlock | undefined
}

export class CarSlotReader {
  /** The first slot that was not yielded; undefined before the first block of a file. */
  next: number | undefined
  /** The newest block. */
  newest: ReadBlock | undefined
  readonly #to: number
  readonly #options: CarSlotsOptions
  readonly #signal: AbortSignal
  #epoch: number | undefined

  constructor({ from, to }: CarRange, options: CarSlotsOptions, signal: AbortSignal) {
    this.next = from
    this.#to = to
    this.#options = options
    this.#signal = signal
  }

  get isDone(): boolean {
    return this.next !== undefined && this.next > this.#to
  }

  /** The slots that the blocks of one file prove. Result: whether it was read up to its root. Throws SourceError. */
  async *read(input: CarInput): AsyncGenerator<SlotBlock, boolean> {
    this.newest = input.before ?? this.newest
    const end: BlockEnd = { isWhole: false }
    for await (const block of readCarBlocks(input, end)) {
      this.#signal.throwIfAborted()
      this.#enter(epochOf(block.slot), input.name)
      if (input.ranges?.contradicts(block)) {
        throw failed(input, block, 'the list of its slots has another place for it')
      }
      this.#follow(block, input)
      if (this.next !== undefined && block.slot < this.next) {
        this.#note(block)
        continue
      }
      yield* this.skipTo(block.slot)
      if (block.slot > this.#to) return false
      yield await this.#decode(block, input)
      this.#note(block)
      this.next = block.slot + 1
      if (this.isDone) return false
    }
    return end.isWhole
  }

  /** Without its transactions: one block is held at a time. */
  #note({ slot, blockhash, end }: CarBlock): void {
    this.newest = { slot, blockhash, end }
  }

  /** Slots without a block, up to one or the end of the range. */
  *skipTo(slot: number): Generator<SlotBlock> {
    for (let next = this.next ?? slot; next < slot && next <= this.#to; next++) {
      this.next = next + 1
      yield { slot: next, block: undefined }
    }
  }

  #enter(epoch: number, name: string): void {
    if (epoch === this.#epoch) return
    this.#epoch = epoch
    const refusal = refusalOf(epoch)
    if (refusal !== undefined) throw new SourceError(`${name}: ${refusal}`, { isRetryable: false })
    const warning = warningOf(epoch)
    if (warning !== undefined) this.#options.onWarning?.(`${name}: ${warning}`)
  }

  /** Throws where the block does not follow the one before it. */
  #follow(block: CarBlock, input: CarInput): void {
    const { slot, parentSlot } = block
    const { newest } = this
    if (newest !== undefined && parentSlot !== newest.slot) {
      const found = `the block before it is that of slot ${newest.slot}`
      if (slot <= newest.slot) throw failed(input, block, `expected ascending slots: ${found}`)
      throw failed(input, block, `its parent, slot ${parentSlot}, is missing: ${found}`)
    }
    this.next ??= parentSlot + 1
    if (newest === undefined && parentSlot >= this.next && slot > this.next) {
      throw failed(
        input,
        block,
        `it is the first one: slots ${this.next} to ${parentSlot} are missing`,
      )
    }
  }

  async #decode(block: CarBlock, input: CarInput): Promise<SlotBlock> {
    const { parentHashOf } = this.#options
    const parentHash =
      this.newest?.blockhash ?? (await parentHashOf?.(block, this.#signal)) ?? NOT_KNOWN
    try {
      return decodeCarBlock(block, parentHash)
    } catch (error) {
      const { name } = input
      throw explainedCarError(error, { name, offset: block.end, newest: this.newest?.slot })
    }
  }
}

const NOT_KNOWN = ''

function failed({ name }: CarInput, { slot, end }: CarBlock, reason: string): SourceError {
  const text = `${name}: byte ${end}: block of slot ${slot}: ${reason}`
  return new SourceError(text, { isRetryable: false })
}
