/**
 * Blocks of a portal, completed and checked by a node where there is one.
 *
 *   block of the portal -> transactions that lack a part, from the node -> every N-th block compared with the node's
 *
 * Without a node transactions are decoded as far as they were recorded. Where a venue was called and nothing recorded, no
 * swap is found and none is refused: a block with more than one in a hundred such calls does not prove its slot complete.
 *
 * Decision: docs/decisions/0089-a-portal-is-completed-by-a-node.md
 */

import { counted } from '../../../domain/text/plural.ts'
import type { DexId } from '../../../domain/venue.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { SourceError } from '../../../streams/sources/source.ts'
import { type Decoded, decodeBlock } from '../../decode.ts'
import type { LackingTransaction, PortalBlock } from '../../forms/portal.ts'
import type { ChainTransaction } from '../../transaction/transaction.ts'
import { ofVenues } from '../batch.ts'
import { type BlockClient, RpcUnavailable } from '../blocks/block-client.ts'
import type { FetchSlots, SlotBlock } from '../blocks/slot-block.ts'
import type { FetchPortalSlots } from './portal-slots.ts'

/** Called for each block that is concerned. */
export type PortalWatch = {
  /** Transactions that lacked a part; `areFetched`: they came from the node. */
  onLacking?(slot: number, lacking: readonly LackingTransaction[], areFetched: boolean): void
  /** A slot whose block does not prove it complete. */
  onGap?(slot: number): void
  /** A block was compared; `difference` is absent where both are equal. */
  onCompared?(slot: number, difference: string | undefined): void
}

export type CompletedOptions = {
  node?: BlockClient | undefined
  /** Every so many blocks one is compared with the node's, which replaces it where they differ. */
  verifyEvery?: number | undefined
  watch?: PortalWatch
}

/** More of them make a slot a gap. */
const UNRECORDED_SHARE_MAX = 0.01

/** `venues`: those whose events are compared; absent: all. */
export function completed(
  fetch: FetchPortalSlots,
  options: CompletedOptions & { venues?: ReadonlySet<DexId> | undefined },
): FetchSlots {
  const { node, verifyEvery, watch, venues } = options
  let count = 0
  const wholeOf = async (read: PortalBlock, signal: AbortSignal): Promise<SlotBlock> => {
    const { names } = read
    const whole = decoded({ ...(await complete(read, node, watch, signal)), names })
    const isCompared = verifyEvery !== undefined && ++count % verifyEvery === 0
    if (node === undefined || !isCompared) return whole
    return { ...(await compared(whole, node, { watch, venues }, signal)), names }
  }
  return (from, to, signal) => fetch(from, to, signal, (read) => wholeOf(read, signal))
}

function decoded(slotBlock: SlotBlock): SlotBlock {
  const { block } = slotBlock
  if (block === undefined || 'decoded' in block) return slotBlock
  const { slot, timestamp } = block
  return { ...slotBlock, block: { slot, timestamp, decoded: decodeBlock(block) } }
}

async function complete(
  read: PortalBlock,
  node: BlockClient | undefined,
  watch: PortalWatch | undefined,
  signal: AbortSignal,
): Promise<SlotBlock> {
  const { slot, lacking, block, link, callCount } = read
  if (lacking.length === 0) return { slot, block, link }
  watch?.onLacking?.(slot, lacking, node !== undefined)
  const bare = lacking.filter(({ lacks }) => lacks === 'records').length
  // Calls of a venue by other programs are then missing, too, and the portal does not send their transactions.
  if (node !== undefined && bare > callCount * UNRECORDED_SHARE_MAX) {
    return await blockOf(node, slot, link.blockhash, signal)
  }
  const transactions = [...block.transactions]
  if (node !== undefined) {
    const fetched = await fromNode(node, slot, lacking, signal)
    for (const [index, { at }] of lacking.entries()) transactions[at] = fetched[index]
  }
  const isUnrecorded = ({ lacks, at }: LackingTransaction): boolean =>
    lacks === 'records' ? hasNothing(transactions[at]) : lacks === 'parts' && node === undefined
  const lost = lacking.filter(isUnrecorded)
  // Instructions and balances without the rest would show swaps with other amounts.
  for (const { at } of lost) transactions[at] = undefined
  const unrecorded = lost.length
  const whole = { slot, block: { ...block, transactions }, link }
  if (unrecorded <= callCount * UNRECORDED_SHARE_MAX) return whole
  watch?.onGap?.(slot)
  const calls = counted(callCount, 'transaction')
  const gapReason = `nothing was recorded of ${unrecorded} of ${calls} that called a venue`
  return { ...whole, gapReason }
}

/** The whole block of the node. Throws SourceError where it has another. */
async function blockOf(
  node: BlockClient,
  slot: number,
  blockhash: string,
  signal: AbortSignal,
): Promise<SlotBlock> {
  const found = await node.getBlock(slot, signal, true).catch((error: unknown) => {
    throw sourceErrorOf(error)
  })
  if (found.link?.blockhash === blockhash) return found
  const text = `slot ${slot} of ${node.host} has block "${found.link?.blockhash}", expected "${blockhash}"`
  throw new SourceError(text, { isRetryable: true })
}

async function fromNode(
  node: BlockClient,
  slot: number,
  lacking: readonly LackingTransaction[],
  signal: AbortSignal,
): Promise<ChainTransaction[]> {
  try {
    return await Promise.all(lacking.map((each) => node.getTransaction({ ...each, slot }, signal)))
  } catch (error) {
    throw sourceErrorOf(error)
  }
}

/** Only instructions at top level, and no line of a log but those that the form itself writes. */
function hasNothing(transaction: ChainTransaction | undefined): boolean {
  if (transaction === undefined) return true
  if (transaction.instructions.some(({ height }) => height !== 1)) return false
  return (transaction.logs ?? []).every((line) => /^Program \w+ (?:invoke|success)/.test(`${line}`))
}

/**
 * The block of the node where its events differ, else that of the portal. Where the node has another block or none, nothing proves
 * either: the slot is a gap without events.
 */
async function compared(
  read: SlotBlock,
  node: BlockClient,
  { watch, venues }: { watch: PortalWatch | undefined; venues: ReadonlySet<DexId> | undefined },
  signal: AbortSignal,
): Promise<SlotBlock> {
  const { slot, link } = read
  const other = await node.getBlock(slot, signal).catch((error: unknown) => {
    throw sourceErrorOf(error)
  })
  if (other.block === undefined || other.link?.blockhash !== link?.blockhash) {
    const found = other.block === undefined ? 'none' : `block "${other.link?.blockhash}"`
    const difference = `expected block "${link?.blockhash}", found ${found}`
    watch?.onCompared?.(slot, difference)
    watch?.onGap?.(slot)
    return { ...withoutEvents(read), gapReason: `${node.host} has another block: ${difference}` }
  }
  const [own, others] = [decodedOf(read, venues), decodedOf(other, venues)]
  const difference = differenceOf(linesOf(own), linesOf(others))
  watch?.onCompared?.(slot, difference)
  return difference === undefined ? read : other
}

/** With its link, which the next block names. */
function withoutEvents(read: SlotBlock): SlotBlock {
  const { slot, block } = read
  return { ...read, block: { slot, timestamp: block?.timestamp, transactions: [] } }
}

function decodedOf({ block }: SlotBlock, venues: ReadonlySet<DexId> | undefined): Decoded {
  if (block === undefined) throw new Error('expected a block')
  const decoded = 'decoded' in block ? block.decoded : decodeBlock(block)
  return venues === undefined ? decoded : ofVenues(decoded, venues)
}

type Lines = { events: string[]; rejects: string[] }

const linesOf = ({ events, rejects }: Decoded): Lines => ({
  events: events.map(printEvent),
  rejects: rejects.map((reject) => JSON.stringify(reject)),
})

/** `2 events missing, 1 added, 1 reject missing`; undefined where there is none. */
function differenceOf(own: Lines, other: Lines): string | undefined {
  const parts = (['events', 'rejects'] as const).flatMap((kind) => {
    const missing = without(other[kind], own[kind]).length
    const added = without(own[kind], other[kind]).length
    return missing + added === 0 ? [] : [`${kind}: ${missing} missing, ${added} added`]
  })
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** Lines of the first list that the second lacks, both as multisets. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    if (count > 0) left.set(line, count - 1)
    return count === 0
  })
}

const sourceErrorOf = (error: unknown): unknown =>
  error instanceof RpcUnavailable
    ? new SourceError(error.message, { isRetryable: error.isRetryable, cause: error })
    : error
