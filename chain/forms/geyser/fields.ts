/**
 * Fields of protobuf messages by where they lie in the bytes, so that nothing is read before it is needed. Pure.
 */
import type { WireReader } from '../../../streams/codec/protobuf.ts'

/** Start and end of a field's bytes. */
export type Range = readonly [start: number, end: number]

export const NOWHERE: Range = [0, 0]

/** The message that begins here, to the end of the reader; `read` returns whether it consumed the field. */
export function readFields(
  reader: WireReader,
  [start, end]: Range,
  read: (tag: number) => boolean,
): void {
  reader.at = start
  reader.end = end
  while (reader.at < end) {
    const tag = reader.tag()
    if (!read(tag)) reader.skip(tag & 7)
  }
}

/** The range of a length-delimited field, which it passes over. */
export function rangeOf(reader: WireReader): Range {
  const end = reader.lengthEnd()
  const range: Range = [reader.at, end]
  reader.at = end
  return range
}
