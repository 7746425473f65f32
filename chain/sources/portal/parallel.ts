/**
 * Neighbouring ranges of slots at once, yielded in order.
 *
 * Blocks are decoded as they come, so that those that wait for earlier ranges hold their events only, and all ranges together hold
 * `AHEAD_BLOCKS` at most: their provider then stops sending.
 */
import { Readable } from 'node:stream'
import type { FetchSlots, SlotBlock } from '../blocks/slot-block.ts'

const STREAMS = 4
/** Some 40 MiB of events of busy blocks. With 8 streams a range is 40 slots: at 60 blocks/s three requests in two seconds. */
const AHEAD_BLOCKS = 320

export type ParallelOptions = {
  /** Ranges that are requested at once. */
  streams?: number
  /** Slots of a range; absent: as many as a stream may hold. */
  rangeSlots?: number
}

export function inParallel(fetch: FetchSlots, options: ParallelOptions = {}): FetchSlots {
  const { streams = STREAMS } = options
  const aheadBlocks = Math.floor(AHEAD_BLOCKS / streams)
  const { rangeSlots = aheadBlocks } = options
  return async function* fetchRanges(from, to, signal) {
    // Ends the ranges that are read ahead when the reader stops.
    const end = new AbortController()
    const bound = AbortSignal.any([signal, end.signal])
    const ahead: Readable[] = []
    let next = from
    const open = (): void => {
      while (ahead.length < streams && next <= to) {
        const last = Math.min(to, next + rangeSlots - 1)
        ahead.push(readAhead(fetch(next, last, bound), aheadBlocks))
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

function readAhead(slots: AsyncIterable<SlotBlock>, blocks: number): Readable {
  const range = Readable.from(slots, { highWaterMark: blocks })
  // The error is thrown when its part is due.
  range.on('error', () => {})
  range.read(0)
  return range
}
