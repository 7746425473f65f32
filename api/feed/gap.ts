/**
 * A gap in FEED where messages are lost to a damaged file. Events from the tables replace them; the next message of the
 * same subject carries these before its own events. Pure.
 */

import type { FeedEvent, FeedMark } from '../../streams/codec/event-codec.ts'
import { writeCursor } from '../../streams/feed/feed-cursor.ts'

export type Gap = {
  /** Messages after `from` and up to `to` may be lost: sequences. */
  from: number
  to: number
  /** First and last slot whose events may be lost. */
  slots: readonly [number, number]
  /** The newest commit that is lost. */
  mark: FeedMark
  /** Events of these slots that are stored but missing from FEED, in canonical order. */
  events: readonly FeedEvent[]
  /** Whether the tables could be read. */
  isFilled: boolean
}

/** The gap as it is reported to clients. */
export function presentGap({ from, to, slots, isFilled }: Gap, epoch: string) {
  return {
    from: writeCursor({ epoch, sequence: from, eventCount: 0 }),
    to: writeCursor({ epoch, sequence: to, eventCount: 0 }),
    slots,
    filled: isFilled,
  }
}

/** Identity of an event, the same in FEED and in the tables. */
export function identityOf(event: FeedEvent): string {
  if (event.kind === 'pool_event') {
    const { signature, event: name, pairAddress, ixIndex } = event.poolEvent
    return `${signature}|${name}|${pairAddress}|${ixIndex}`
  }
  const { signature, dex, ixIndex, pairAddress, user, isBuy, solAmount, tokenAmount } = event.swap
  return [signature, dex, ixIndex, pairAddress, user, isBuy, solAmount, tokenAmount].join('|')
}
