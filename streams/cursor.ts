/**
 * A place in FEED as clients know it, on WebSocket, gRPC and REST alike: `<epoch>-<sequence>`.
 *
 * It says "done up to here": the message of that sequence and all before it. Where a message did not fit
 * one frame, `<epoch>-<sequence>.<events>` says that so many events of the next message are done too, so
 * that who is cut off within a message neither misses nor repeats any. The epoch is the stream's: a place
 * of one that was recreated is told from one of today.
 */

export type Cursor = {
  epoch: string
  /** The newest message that is done; 0: none. */
  sequence: number
  /** Events of the message behind it that are done as well, whether a filter lets them pass or not. */
  eventCount: number
}

/** Longer than any that we write. */
export const CURSOR_LENGTH_MAX = 64

const CURSOR = /^([0-9A-Za-z_:.+-]{1,40})-(0|[1-9]\d{0,15})(?:\.([1-9]\d{0,5}))?$/

export function writeCursor({ epoch, sequence, eventCount }: Cursor): string {
  return eventCount === 0 ? `${epoch}-${sequence}` : `${epoch}-${sequence}.${eventCount}`
}

/** What a cursor says; undefined for a text that is none. */
export function readCursor(text: string): Cursor | undefined {
  const match = text.length <= CURSOR_LENGTH_MAX ? CURSOR.exec(text) : null
  if (match === null) return undefined
  const [, epoch = '', sequence = '', eventCount = '0'] = match
  if (!Number.isSafeInteger(Number(sequence))) return undefined
  return { epoch, sequence: Number(sequence), eventCount: Number(eventCount) }
}
