/**
 * Blocks of a CAR file from its sections. Pure, but for the nodes of the block that is not complete yet.
 *
 *   frames, transactions, their entry, ..., rewards, block      children come before the nodes that link them
 *
 * A block is complete when each link of its entries leads to a transaction that was read since the block before, and no
 * transaction is left over: anything else is a CarError, and the blocks before it were whole. Rewards are not needed.
 */
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import type { PackedTransaction } from '../../../forms/car.ts'
import { CborError } from './cbor.ts'
import { FrameError, joinFrames } from './frames.ts'
import {
  type BlockNode,
  type EntryNode,
  type Frame,
  readNode,
  type TransactionNode,
} from './nodes.ts'
import { CarError, type Section } from './sections.ts'

export type CarBlock = {
  readonly slot: number
  readonly parentSlot: number
  /** Unix ms; undefined where the chain recorded no time. */
  readonly timestamp: number | undefined
  readonly blockhash: string
  /** Throws CarError where a transaction lacks a frame. */
  readonly transactions: readonly PackedTransaction[]
  /** Offset in the file after its last node. */
  readonly end: number
}

const MS_A_SECOND = 1_000
/** The largest blocks have some 10 MiB. */
const BLOCK_BYTES_MAX = 512 * 1024 * 1024

export class BlockAssembler {
  /** The node of the epoch, which is the root of a whole file, as its key; undefined before it came. */
  root: string | undefined
  readonly #transactions = new Map<string, TransactionNode>()
  readonly #entries = new Map<string, EntryNode>()
  #frames = new Map<string, Frame>()
  #bytes = 0
  #start: number | undefined

  /** The block that this section completes. Throws CarError. */
  add(section: Section): CarBlock | undefined {
    const { key, start } = section
    const node = this.#read(section)
    switch (node.kind) {
      case 'transaction':
        this.#transactions.set(key, node)
        break
      case 'entry':
        this.#entries.set(key, node)
        break
      case 'frame':
        this.#frames.set(key, node.frame)
        break
      case 'block':
        return this.#complete(node, section)
      case 'epoch':
        this.root = key
        return undefined
      case 'subset':
      case 'rewards':
        return undefined
      default:
        node satisfies never
    }
    this.#start ??= start
    this.#bytes += section.end - start
    if (this.#bytes > BLOCK_BYTES_MAX) {
      throw new CarError(start, `no block ends within ${BLOCK_BYTES_MAX} bytes`)
    }
    return undefined
  }

  /** Throws CarError where nodes of a block are left over. */
  end(): void {
    if (this.#start !== undefined) {
      throw new CarError(this.#start, 'it ends before the block whose nodes begin here')
    }
  }

  #read(section: Section): ReturnType<typeof readNode> {
    try {
      return readNode(section.node)
    } catch (error) {
      if (!(error instanceof CborError)) throw error
      throw new CarError(section.start, `a node cannot be read: ${error.message}`)
    }
  }

  #complete(block: BlockNode, { start, end }: Section): CarBlock {
    const { slot, parentSlot, time } = block
    const broken = (reason: string): CarError =>
      new CarError(this.#start ?? start, `block of slot ${slot}: ${reason}`)
    if (parentSlot >= slot) throw broken(`it names slot ${parentSlot} as its parent`)
    let last: EntryNode | undefined
    const transactions: PackedTransaction[] = []
    const frames = this.#frames
    for (const key of block.entries) {
      last = take(this.#entries, key)
      if (last === undefined) throw broken('it links an entry that is not before it')
      for (const linked of last.transactions) {
        const node = take(this.#transactions, linked)
        if (node === undefined) throw broken('it links a transaction that is not before it')
        if (node.slot !== slot) throw broken(`it links a transaction of slot ${node.slot}`)
        transactions.push(packed(node, transactions.length, frames, broken))
      }
    }
    if (last === undefined) throw broken('it has no entries')
    const left = this.#entries.size + this.#transactions.size
    if (left > 0) throw broken(`it does not link ${left} of the nodes before it`)
    this.#frames = new Map()
    this.#bytes = 0
    this.#start = undefined
    return {
      slot,
      parentSlot,
      timestamp: time > 0 ? time * MS_A_SECOND : undefined,
      blockhash: encodeBase58(last.hash),
      transactions,
      end,
    }
  }
}

function take<Node>(nodes: Map<string, Node>, key: string): Node | undefined {
  const node = nodes.get(key)
  nodes.delete(key)
  return node
}

/** `order`: in that of entries, for a transaction that does not state its own. */
function packed(
  { message, meta, index }: TransactionNode,
  order: number,
  frames: ReadonlyMap<string, Frame>,
  broken: (reason: string) => CarError,
): PackedTransaction {
  const join = (frame: Frame, name: string): Buffer => {
    try {
      return joinFrames(frame, (key) => frames.get(key))
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      throw broken(`the ${name} of transaction ${index ?? order}: ${error.message}`)
    }
  }
  return {
    index: index ?? order,
    message: join(message, 'data'),
    meta: () => join(meta, 'metadata'),
  }
}
