/**
 * A small chain for tests of sources: blocks with forks and skipped slots, and the updates that a Yellowstone server
 * sends of them. Drawn from a seed.
 */

import type { SlotBlock } from '../../../../chain/sources/blocks/slot-block.ts'
import { type BlockUpdate, readUpdate } from '../../../../chain/sources/geyser/update.ts'
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { encodeUpdate } from './messages.ts'

export type ModelBlock = {
  slot: number
  parentSlot: number
  blockhash: string
  parentBlockhash: string
  /** Signatures; a wanted one passes the filter of transactions. */
  transactions: { signature: Uint8Array; isWanted: boolean }[]
}

export type ModelChain = {
  /** Every slot, oldest first; undefined where it was skipped. */
  slots: { slot: number; block: ModelBlock | undefined }[]
  /** Blocks that were abandoned, by slot: what a slot had before it was skipped or had another block. */
  abandoned: ModelBlock[]
}

export type Draw = (below: number) => number

export const drawOf = (seed: number): Draw => {
  const prng = new Prng([seed])
  return (below) => prng.below(below)
}

const FIRST_SLOT = 1_000
const BLOCK_TIME = 1_700_000_000

export function modelChain(length: number, draw: Draw): ModelChain {
  const chain: ModelChain = { slots: [], abandoned: [] }
  let parent = { slot: FIRST_SLOT - 1, blockhash: hashOf(draw) }
  for (let slot = FIRST_SLOT; slot < FIRST_SLOT + length; slot++) {
    if (draw(8) === 0) chain.abandoned.push(modelBlock(slot, parent, draw))
    const isSkipped = draw(6) === 0 && slot < FIRST_SLOT + length - 1
    const block = isSkipped ? undefined : modelBlock(slot, parent, draw)
    chain.slots.push({ slot, block })
    if (block !== undefined) parent = block
  }
  return chain
}

export function modelBlock(
  slot: number,
  parent: { slot: number; blockhash: string },
  draw: Draw,
): ModelBlock {
  const transactions = Array.from({ length: draw(6) }, () => ({
    signature: Uint8Array.from({ length: 64 }, () => draw(256)),
    isWanted: draw(2) === 0,
  }))
  return {
    slot,
    parentSlot: parent.slot,
    blockhash: hashOf(draw),
    parentBlockhash: parent.blockhash,
    transactions,
  }
}

const hashOf = (draw: Draw): string =>
  encodeBase58(Uint8Array.from({ length: 32 }, () => draw(256)))

const read = (update: Record<string, unknown>): BlockUpdate =>
  readUpdate(encodeUpdate(update)) as BlockUpdate

export const slotUpdate = (slot: number, status: string, parent?: number): BlockUpdate =>
  read({ slot: { slot, status, ...(parent === undefined ? {} : { parent }) } })

export function metaUpdate({ transactions, ...block }: ModelBlock): BlockUpdate {
  const { slot, blockhash, parentSlot, parentBlockhash } = block
  return read({
    blockMeta: {
      ...{ slot, blockhash, parentSlot, parentBlockhash },
      blockTime: { timestamp: BLOCK_TIME + slot },
      executedTransactionCount: transactions.length,
    },
  })
}

/** The status of each transaction, and before it the transaction where it is wanted. */
export function transactionUpdates({ slot, transactions }: ModelBlock): BlockUpdate[] {
  return transactions.flatMap(({ signature, isWanted }, index) => {
    const transaction = { slot, transaction: { signature, index, transaction: {}, meta: {} } }
    const filters = isWanted ? ['a', 'w'] : ['a']
    const status = read({ filters, transactionStatus: { slot, signature, index } })
    return isWanted ? [read({ transaction }), status] : [status]
  })
}

/** The updates of one block in the order of a server. */
export const updatesOfBlock = (block: ModelBlock): BlockUpdate[] => [
  slotUpdate(block.slot, 'SLOT_CREATED_BANK', block.parentSlot),
  ...transactionUpdates(block),
  metaUpdate(block),
  slotUpdate(block.slot, 'SLOT_CONFIRMED', block.parentSlot),
]

/** The parts of a slot on which providers agree, in a form that can be compared. */
export function printSlot({ slot, block, link }: SlotBlock): string {
  const transactions = block !== undefined && 'transactions' in block ? block.transactions : []
  const signatures = Array.from(transactions, (each) => each?.signature)
  return JSON.stringify([slot, block?.timestamp, link, signatures])
}

/** A slot as another provider returns it: the wanted transactions only, as the filter lets them pass. */
export function fetchedSlot({ slot, block }: ModelChain['slots'][number]): SlotBlock {
  if (block === undefined) return { slot, block: undefined }
  const { blockhash, parentSlot, parentBlockhash } = block
  const transactions = transactionUpdates(block).flatMap((update) =>
    update.kind === 'transaction' ? [update.transaction] : [],
  )
  return {
    slot,
    block: { slot, timestamp: (BLOCK_TIME + slot) * 1_000, transactions },
    link: { blockhash, parentSlot, parentBlockhash },
  }
}
