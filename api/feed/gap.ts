/**
 * A place in FEED where messages are lost to a damaged file, and what takes their place: events out of the tables,
 * carried by the next message of the same subject, before its own. Pure.
 */

import type { FeedEvent, FeedMark } from '../../streams/codec/event-codec.ts'
import { writeCursor } from '../../streams/feed/feed-cursor.ts'

export type Gap = {
  /** Some of the messages after the first and up to the second of these sequences are lost. */
  from: number
  to: number
  /** First and last slot of which events may have been lost. */
  slots: readonly [number, number]
  /** The newest commit that is lost. */
  mark: FeedMark
  /** Events of these slots that are stored but missing from FEED, in canonical order. */
  events: readonly FeedEvent[]
  /** Whether the tables could be read. */
  isFilled: boolean
}

/** As clients are told. */
export function presentGap({ from, to, slots, isFilled }: Gap, epoch: string) {
  return {
    from: writeCursor({ epoch, sequence: from, eventCount: 0 }),
    to: writeCursor({ epoch, sequence: to, eventCount: 0 }),
    slots,
    filled: isFilled,
  }
}

/** Two events of the same identity have the same text. */
export function identityOf(event: FeedEvent): string {
  if (event.kind === 'pool_event') {
    const { signature, event: name, pairAddress, ixIndex } = event.poolEvent
    return `${signature}|${name}|${pairAddress}|${ixIndex}`
  }
  const { signature, dex, ixIndex, pairAddress, user, isBuy, solAmount, tokenAmount } = event.swap
  return [signature, dex, ixIndex, pairAddress, user, isBuy, solAmount, tokenAmount].join('|')
}
