/**
 * The first slot with a block at or after a time, by halving the slots of a node.
 *
 *   before the time        unknown                at or after it
 *   first ...... last | ... middle ... | next ............ newest
 *
 * Block times never descend along the chain. Each step requests the first block from the middle on, and its header.
 */
import type { BlockClient } from './block-client.ts'

/** A node with the slots that it holds, both ends with a block. */
type HeldSlots = { readonly first: number; readonly newest: number }

/**
 * Undefined where no block is so late. `before`: the node's first block is later than the time, so that earlier ones may be
 * missing. Throws RpcUnavailable.
 */
export async function slotOfTime(
  client: BlockClient,
  seconds: number,
  signal: AbortSignal,
): Promise<number | undefined | { readonly before: HeldSlots }> {
  const newest = await client.getSlot(signal)
  if ((await client.getTime(newest, signal)) < seconds) return undefined
  const first = await client.findBlock(await client.getFirstSlot(signal), signal)
  const firstSeconds = await client.getTime(first, signal)
  if (firstSeconds > seconds) return { before: { first, newest } }
  if (firstSeconds === seconds) return first
  let last = first
  // The slot from which on all blocks are at or after the time, and the first of these blocks.
  let next = newest
  let found = newest
  while (next - last > 1) {
    const middle = Math.floor((last + next) / 2)
    const block = await client.findBlock(middle, signal)
    if (block < next && (await client.getTime(block, signal)) < seconds) last = block
    else {
      next = middle
      found = Math.min(found, block)
    }
  }
  return found
}
