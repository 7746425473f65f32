/**
 * Micro-batching: waits for more messages until there are enough or a deadline passes. Where more came meanwhile,
 * the deadline is computed again and may be later.
 *
 * Marks of blocks: each of the messages by which a source publishes a block names their number in its lane. A lane that holds them
 * all has its part of the block and need not wait for more. A mark decides only when a batch ends: without one, with a wrong one, or
 * where some of the messages never come, a lane waits for a short limit, and a reader of an earlier version ignores the header.
 *
 * Decision: docs/decisions/0095-a-block-is-one-batch-of-its-pool-lanes.md
 */
import { setImmediate as turn } from 'node:timers/promises'

/**
 * A batch being filled: when waiting began, when the newest message came, and bytes of payload. `block`: its messages are those
 * of blocks, each of which is complete, or of which the newest incomplete one began at this moment; absent: of no blocks.
 */
export type PendingBatch = {
  sinceMs: number
  newestMs: number
  bytes: number
  block?: 'complete' | { openSinceMs: number } | undefined
}

/** `wait` ends when there are enough, reading broke, or so many milliseconds have passed. */
type BatchSource = {
  isWaiting(): boolean
  atHand(): Omit<PendingBatch, 'sinceMs'>
  wait(ms: number): Promise<void>
}

export async function fillBatch(
  { isWaiting, atHand, wait }: BatchSource,
  untilMs: (held: PendingBatch) => number,
): Promise<void> {
  await turn()
  const sinceMs = performance.now()
  for (let bytesBefore = -1; isWaiting(); ) {
    const { newestMs, bytes, block } = atHand()
    if (bytes === bytesBefore) return
    bytesBefore = bytes
    const leftMs = untilMs({ sinceMs, newestMs, bytes, block }) - performance.now()
    if (leftMs <= 0) return
    await wait(leftMs)
  }
}

/** `418000123 7`: the slot, and the number of messages of one lane. */
export const BLOCK_HEADER = 'Swaptide-Block'

export type BlockMark = { slot: number; messages: number }

export const writeBlockMark = ({ slot, messages }: BlockMark): string => `${slot} ${messages}`

const MARK = /^\d{1,15} (\d{1,6})$/

/** The number of messages; undefined without a mark, and for one that cannot be read. */
function messagesOf(mark: string | undefined): number | undefined {
  const messages = Number(MARK.exec(mark ?? '')?.[1])
  return messages > 0 ? messages : undefined
}

/** A block whose messages have not all come by then is forgotten when a message of another arrives. */
const STALE_MS = 1_000

type OpenBlock = { left: number; sinceMs: number }

/** The blocks of a reader's messages, in the order of their arrival. */
export class BlockMarks {
  /** By mark: blocks of which some messages have yet to come. */
  readonly #open = new Map<string, OpenBlock>()

  /** A message arrived. Returns whether it has a mark. */
  note(mark: string | undefined, nowMs: number): boolean {
    const messages = messagesOf(mark)
    if (mark === undefined || messages === undefined) return false
    for (const [stale, { sinceMs }] of this.#open) {
      if (nowMs - sinceMs < STALE_MS) break
      if (stale !== mark) this.#open.delete(stale)
    }
    const block = this.#open.get(mark) ?? { left: messages, sinceMs: nowMs }
    block.left--
    if (block.left <= 0) this.#open.delete(mark)
    else this.#open.set(mark, block)
    return true
  }

  /** When the first message of the newest incomplete block arrived (of performance.now()); undefined: all are complete. */
  openSinceMs(): number | undefined {
    let newest: number | undefined
    for (const { sinceMs } of this.#open.values()) newest = Math.max(newest ?? sinceMs, sinceMs)
    return newest
  }
}
