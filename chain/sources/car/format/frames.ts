/** Data that is split over several frames, put together again and compared with its checksum. Pure. */
import { crc64, fnv64 } from './checksums.ts'
import type { Frame } from './nodes.ts'

/** Data whose frames are not all there, or do not have its checksum. */
export class FrameError extends Error {
  override name = 'FrameError'
}

/** Frames of one whole: data of a block is some megabytes, a frame some hundred kilobytes. */
const FRAMES_MAX = 10_000

/** `frameOf`: a frame by its key, undefined where it was not read before. Throws FrameError. */
export function joinFrames(first: Frame, frameOf: (key: string) => Frame | undefined): Buffer {
  const { total, hash } = first
  if ((total === undefined || total <= 1) && first.next.length === 0) {
    return hash === undefined ? first.content : checked(first.content, hash)
  }
  const frames: Frame[] = []
  collect(first, frameOf, frames)
  const expected = total ?? frames.length
  if (frames.length !== expected) {
    throw new FrameError(`it has ${frames.length} of ${expected} frames`)
  }
  const ordered = frames.toSorted((one, other) => indexOf(one, first) - indexOf(other, first))
  for (const [index, frame] of ordered.entries()) {
    if (indexOf(frame, first) !== index) throw new FrameError(`its frame ${index} is missing`)
  }
  const whole = Buffer.concat(ordered.map(({ content }) => content))
  return hash === undefined ? whole : checked(whole, hash)
}

/** The first frame may leave out that it is the first one. */
function indexOf(frame: Frame, first: Frame): number {
  if (frame.index === undefined && frame !== first) {
    throw new FrameError('one of its frames has no index')
  }
  return frame.index ?? 0
}

function collect(frame: Frame, frameOf: (key: string) => Frame | undefined, into: Frame[]): void {
  const waiting = [frame]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    into.push(next)
    if (into.length > FRAMES_MAX) throw new FrameError('its frames link each other without an end')
    for (const key of next.next) {
      const linked = frameOf(key)
      if (linked === undefined) throw new FrameError('it links a frame that is not before it')
      waiting.push(linked)
    }
  }
}

function checked(whole: Buffer, hash: bigint): Buffer {
  if (crc64(whole) === hash || fnv64(whole) === hash) return whole
  throw new FrameError('its bytes do not have its checksum')
}
