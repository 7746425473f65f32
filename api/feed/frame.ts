/** Limits of a frame of the WebSocket feed, and how its texts are written. Pure. */
import { CURSOR_LENGTH_MAX } from '../../streams/feed/feed-cursor.ts'

export type Int64Form = 'number' | 'string'

/** Maximum bytes of a client's message, and of a whole data frame of the server. */
export const FRAME_BYTES_MAX = 64 * 1024

/** Maximum characters of the client's name of a subscription. */
export const SUB_LENGTH_MAX = 32
export const FRAME_EVENTS_MAX = 250
/** Bytes around the items: a cursor, a name of which each character becomes two escapes, and field names. */
const AROUND_BYTES_MAX = CURSOR_LENGTH_MAX + SUB_LENGTH_MAX * 12 + 192
export const EVENTS_BYTES_MAX = FRAME_BYTES_MAX - AROUND_BYTES_MAX

/** A client's text as JSON in ASCII, so that the frame around it can be copied byte for byte. */
export function asciiText(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
