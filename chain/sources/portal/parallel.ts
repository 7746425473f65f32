/**
 * Neighbouring ranges of slots at once, yielded in order.
 *
 * Blocks that wait for earlier ranges are decoded already, so that they hold their events only, and each range that waits
 * holds `AHEAD_BLOCKS` at most: its provider then stops sending.
 */
import { Readable } from 'node:stream'
import { decodeBlock } from '../../decode.ts'
import type { FetchSlots, SlotBlock } from '../blocks/slot-block.ts'

const STREAMS = 4
/** A portal sends a range of a hundred blocks in some seconds. */
const RANGE_SLOTS = 250
const AHEAD_BLOCKS = RANGE_SLOTS

export type ParallelOptions = {
  /** Ranges that are requested at once. */
  streams?: number
  /** Slots of a range. */
  rangeSlots?: number
}

export function inParallel(fetch: FetchSlots, options: ParallelOptions = {}): FetchSlots {
  const { streams = STREAMS, rangeSlots = RANGE_SLOTS } = options
  return async function* fetchRanges(from, to, signal) {
    // Ends the ranges that are read ahead when the reader stops.
    const end = new AbortController()
    const bound = AbortSignal.any([signal, end.signal])
    const ahead: Readable[] = []
    let next = from
    const open = (): void => {
      while (ahead.length < streams && next <= to) {
        const last = Math.min(to, next + rangeSlots - 1)
        ahead.push(readAhead(fetch, next, last, bound))
        next = last + 1
      }
    }
    try {
      for (open(); ahead[0] !== undefined; open()) {
        for await (const slotBlock of ahead[0]) yield slotBlock as SlotBlock
        ahead.shift()
      }
    } finally {
      end.abort()
      for (const each of ahead) each.destroy()
    }
  }
}

function readAhead(fetch: FetchSlots, from: number, to: number, signal: AbortSignal): Readable {
  const decoded = async function* (): AsyncGenerator<SlotBlock> {
    for await (const slotBlock of fetch(from, to, signal)) yield decode(slotBlock)
  }
  const range = Readable.from(decoded(), { highWaterMark: AHEAD_BLOCKS })
  // The error is thrown when its part is due.
  range.on('error', () => {})
  range.read(0)
  return range
}

function decode(slotBlock: SlotBlock): SlotBlock {
  const { block } = slotBlock
  if (block === undefined || 'decoded' in block) return slotBlock
  const { slot, timestamp } = block
  return { ...slotBlock, block: { slot, timestamp, decoded: decodeBlock(block) } }
}
