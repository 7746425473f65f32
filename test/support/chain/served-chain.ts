/**
 * A chain of any length for test servers: blocks made of the recorded block's transactions, each copy with signatures of
 * its own, linked by their hashes, with skipped slots. The same options make the same chain.
 */
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { type Decoded, decodeBlock } from '../../../chain/decode.ts'
import { readRpcBlock } from '../../../chain/forms/rpc.ts'
import { decodeSlot } from '../../../chain/sources/batch.ts'
import type { MarketEvent } from '../../../domain/events/event.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { readChainFile } from './chain-files.ts'

export type Json = Record<string, unknown>

/** The result of getBlock with encoding json and all transactions. */
export type ServedBlock = Json & {
  blockhash: string
  previousBlockhash: string
  parentSlot: number
  blockTime: number | null
  transactions: Json[]
}

/** Blocks by slot; a slot of the range that is absent was skipped. */
export type ServedChain = { from: number; to: number; blocks: Map<number, ServedBlock> }

export type ChainOptions = {
  seed?: number
  from?: number
  slots: number
  /** Transactions of a block; absent: all of the recorded block; `swaps`: those that yield events. */
  transactions?: number | 'swaps'
  /** Share of slots without a block. */
  skipShare?: number
}

export const FIRST_SLOT = 285_000_100
const FIRST_SECOND = 1_724_267_500
const SLOTS_A_SECOND = 2.5

let recorded: ServedBlock | undefined

export function recordedBlock(): ServedBlock {
  recorded ??= JSON.parse(gunzipSync(readChainFile('block_285000037.json.gz')).toString('utf8'))
  return recorded as ServedBlock
}

export function makeChain(options: ChainOptions): ServedChain {
  const { from = FIRST_SLOT, slots } = options
  const chain: ServedChain = { from, to: from - 1, blocks: new Map() }
  extendChain(chain, slots, options)
  return chain
}

/** Appends slots. The first slot of a chain and the last appended one have blocks. */
export function extendChain(
  chain: ServedChain,
  slots: number,
  { seed = 1, transactions, skipShare = 0.1 }: Omit<ChainOptions, 'slots'>,
): void {
  const prng = new Prng([seed, chain.to])
  const end = chain.to + slots
  for (let slot = chain.to + 1; slot <= end; slot++) {
    const isSkipped = prng.unit() < skipShare && slot > chain.from && slot < end
    if (!isSkipped) chain.blocks.set(slot, makeBlock(chain, slot, `${seed}:${slot}`, transactions))
  }
  chain.to = end
}

/** Another branch of the chain: all from a slot on is generated again, with other transactions and hashes. */
export function forkChain(
  chain: ServedChain,
  from: number,
  options: Omit<ChainOptions, 'slots'>,
): void {
  const slots = chain.to - from + 1
  for (let slot = from; slot <= chain.to; slot++) chain.blocks.delete(slot)
  chain.to = from - 1
  extendChain(chain, slots, options)
}

function makeBlock(
  { blocks }: ServedChain,
  slot: number,
  name: string,
  count: ChainOptions['transactions'],
): ServedBlock {
  const all = recordedBlock().transactions
  const [parentSlot, parent] = Array.from(blocks).at(-1) ?? [slot - 1, undefined]
  const chosen = chooseTransactions(all, slot, count)
  return {
    previousBlockhash: parent?.blockhash ?? hashOf('origin', 'sha256'),
    blockhash: hashOf(name, 'sha256'),
    parentSlot,
    transactions: chosen.map((each, index) => withSignature(each, `${name}:${index}`)),
    blockTime: FIRST_SECOND + Math.floor((slot - FIRST_SLOT) / SLOTS_A_SECOND),
    blockHeight: slot - 20_000_000,
  }
}

function chooseTransactions(
  all: readonly Json[],
  slot: number,
  count: ChainOptions['transactions'],
): readonly Json[] {
  if (count === undefined) return all
  if (count === 'swaps') {
    swapping ??= all.filter((each) => decodeAlone(each).events.length > 0)
    return swapping
  }
  const first = (slot * count) % Math.max(1, all.length - count)
  return all.slice(first, first + count)
}

let swapping: Json[] | undefined

function decodeAlone(entry: Json): Decoded {
  const read = readRpcBlock({ ...recordedBlock(), transactions: [entry] }, FIRST_SLOT)
  return decodeBlock(read ?? { slot: 0, timestamp: 0, transactions: [] })
}

function withSignature(entry: Json, name: string): Json {
  const transaction = entry.transaction as Json
  return { ...entry, transaction: { ...transaction, signatures: [hashOf(name, 'sha512')] } }
}

const hashOf = (text: string, algorithm: 'sha256' | 'sha512'): string =>
  encodeBase58(createHash(algorithm).update(text).digest())

/** Events that a source must yield for a range of slots. */
export function eventsOfChain(
  { blocks }: ServedChain,
  from = Number.NEGATIVE_INFINITY,
  to = Number.POSITIVE_INFINITY,
): MarketEvent[] {
  return Array.from(blocks).flatMap(([slot, block]) => {
    if (slot < from || slot > to) return []
    const { blockhash, parentSlot, previousBlockhash: parentBlockhash } = block
    const link = { blockhash, parentSlot, parentBlockhash }
    const decoded = decodeSlot({ slot, block: readRpcBlock(block, slot), link }, undefined)
    if (decoded === undefined) throw new Error(`slot ${slot}: expected a block`)
    return decoded.events
  })
}

/** Appends a swap of venue 3 whose balances are missing to a block, and returns its signature. */
export function withUnreadableSwap({ blocks }: ServedChain, slot: number): string {
  const block = blocks.get(slot)
  const swap = recordedBlock().transactions.find(isReadableSwap)
  if (block === undefined || swap === undefined) throw new Error(`slot ${slot}: expected a block`)
  const broken = withSignature(swap, `unreadable:${slot}`)
  const meta = { ...(swap.meta as Json), preTokenBalances: [], postTokenBalances: [] }
  blocks.set(slot, { ...block, transactions: [...block.transactions, { ...broken, meta }] })
  return (broken.transaction as { signatures: string[] }).signatures[0] as string
}

/** A transaction that holds one swap of venue 3 only. */
function isReadableSwap(entry: Json): boolean {
  const { events, rejects } = decodeAlone(entry)
  const [event] = events
  return (
    events.length === 1 && rejects.length === 0 && event?.kind === 'swap' && event.swap.dex === 3
  )
}
