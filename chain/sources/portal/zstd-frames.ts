/**
 * The ends of zstd frames (RFC 8878, section 3.1) in bytes as they arrive, without unpacking them. Pure, but for the stage
 * that it remembers. Other bytes are passed on unchanged: the decompressor refuses them.
 */

const MAGIC = 0xfd2fb528
/** Sixteen magic numbers of frames to be skipped: 0x184D2A50 to 0x184D2A5F. */
const SKIPPABLE = 0x184d2a5
const MAGIC_BYTES = 4
const SIZE_BYTES = 4
const BLOCK_HEADER_BYTES = 3
const CHECKSUM_BYTES = 4
const RLE = 1

/** The meaning of the next bytes. */
type Stage =
  | 'magic'
  | 'descriptor'
  | 'header'
  | 'block'
  | 'data'
  | 'checksum'
  | 'size'
  | 'skipped'
  | 'unknown'

export class ZstdFrames {
  #stage: Stage = 'magic'
  /** Bytes that are left of the stage. */
  #left = MAGIC_BYTES
  /** Little-endian value of the stage's bytes so far, and how many there were. */
  #value = 0
  #count = 0
  #hasChecksum = false
  #isLast = false

  /** Whether a frame has begun and not ended. */
  get isInside(): boolean {
    return this.#stage !== 'magic' || this.#count > 0
  }

  /** The chunk, cut after each byte that ends a frame. */
  *cut(chunk: Buffer): Generator<Buffer> {
    let begin = 0
    let at = 0
    while (at < chunk.length) {
      if (this.#stage === 'unknown') break
      if (this.#stage === 'data' || this.#stage === 'skipped' || this.#stage === 'header') {
        const taken = Math.min(this.#left, chunk.length - at)
        at += taken
        this.#left -= taken
      } else {
        this.#value += (chunk[at] as number) * 256 ** this.#count
        this.#count++
        this.#left--
        at++
      }
      if (this.#left > 0 || !this.#advance()) continue
      yield chunk.subarray(begin, at)
      begin = at
    }
    if (begin < chunk.length) yield chunk.subarray(begin)
  }

  /** Begins the stage after a complete one; true where the frame ends. */
  #advance(): boolean {
    const value = this.#value
    switch (this.#stage) {
      case 'magic':
        if (value === MAGIC) this.#begin('descriptor', 1)
        else if (Math.floor(value / 16) === SKIPPABLE) this.#begin('size', SIZE_BYTES)
        else this.#begin('unknown', Number.POSITIVE_INFINITY)
        return false
      case 'descriptor':
        this.#hasChecksum = (value & 0b100) !== 0
        this.#begin('header', headerBytes(value))
        return this.#left === 0 && this.#advance()
      case 'header':
        this.#begin('block', BLOCK_HEADER_BYTES)
        return false
      case 'block': {
        const size = value >>> 3
        this.#isLast = (value & 1) === 1
        this.#begin('data', ((value >>> 1) & 0b11) === RLE ? 1 : size)
        return this.#left === 0 && this.#advance()
      }
      case 'data':
        if (!this.#isLast) this.#begin('block', BLOCK_HEADER_BYTES)
        else if (this.#hasChecksum) this.#begin('checksum', CHECKSUM_BYTES)
        else return this.#end()
        return false
      case 'size':
        this.#begin('skipped', value)
        return this.#left === 0 && this.#advance()
      case 'checksum':
      case 'skipped':
        return this.#end()
      case 'unknown':
        return false
    }
  }

  #begin(stage: Stage, bytes: number): void {
    this.#stage = stage
    this.#left = bytes
    this.#value = 0
    this.#count = 0
  }

  #end(): true {
    this.#begin('magic', MAGIC_BYTES)
    return true
  }
}

/** Bytes of the window, the identifier of prior content, and the content size after the descriptor. */
function headerBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 0b10_0000) !== 0
  const priorContent = [0, 1, 2, 4][descriptor & 0b11] as number
  const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6] as number
  return (isSingleSegment ? 0 : 1) + priorContent + contentSize
}
