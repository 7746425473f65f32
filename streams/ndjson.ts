/**
 * Lines out of bytes, in runs of what is at hand, with their numbers.
 *
 * Law: memory does not grow with the input. Bytes are taken 64 KiB at a time; what a line leaves
 * unfinished is copied (the source may use its buffer again) up to 1 MiB, beyond which the line is
 * refused and its bytes are dropped. A block is decoded at once, so a line costs no call of its own;
 * only a block with invalid UTF-8 is looked at line by line, to refuse no more than is broken.
 */
import { Buffer, isUtf8 } from 'node:buffer'

/** A line that is not blank, counted from 1 (blank ones count); `fault` says why it is unreadable. */
export type Line = { number: number; text: string; fault?: string }

export const LINE_BYTES_MAX = 2 ** 20
const BLOCK_BYTES = 64 * 1024
/** How much of an unreadable line is kept to be shown. */
const EXCERPT_BYTES = 400
const LINE_FEED = 10
const TOO_LONG = 'expected a line of at most 1 MiB'
const NOT_UTF8 = 'expected UTF-8'

/** Runs of lines in input order; a run is never empty and never more than a block holds. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  const splitter = new LineSplitter()
  for await (const chunk of input) {
    for (let start = 0; start < chunk.length; start += BLOCK_BYTES) {
      const lines = splitter.split(toBuffer(chunk.subarray(start, start + BLOCK_BYTES)))
      if (lines.length > 0) yield lines
    }
  }
  const last = splitter.end()
  if (last.length > 0) yield last
}

/** Pieces of bytes in, whole lines out; holds the line that is not finished yet. */
class LineSplitter {
  #lineNumber = 0
  /** Room for the unfinished line; grows to 1 MiB at most and is used again. */
  #rest = Buffer.alloc(BLOCK_BYTES)
  /** Bytes of the unfinished line; those beyond 1 MiB are counted only. */
  #restBytes = 0

  split(block: Buffer): Line[] {
    const lines: Line[] = []
    const first = block.indexOf(LINE_FEED)
    if (first < 0) {
      this.#keep(block)
      return lines
    }
    let start = 0
    if (this.#restBytes > 0) {
      this.#keep(block.subarray(0, first))
      this.#finish(lines)
      start = first + 1
    }
    const last = block.lastIndexOf(LINE_FEED)
    if (last >= start) this.#decode(block.subarray(start, last), lines)
    if (last + 1 < block.length) this.#keep(block.subarray(last + 1))
    return lines
  }

  /** The last line of an input that does not end with a line feed. */
  end(): Line[] {
    const lines: Line[] = []
    if (this.#restBytes > 0) this.#finish(lines)
    return lines
  }

  #keep(piece: Buffer): void {
    const end = this.#restBytes + piece.length
    if (end <= LINE_BYTES_MAX) {
      if (end > this.#rest.length) {
        const wider = Buffer.alloc(Math.min(LINE_BYTES_MAX, 2 * end))
        this.#rest.copy(wider, 0, 0, this.#restBytes)
        this.#rest = wider
      }
      piece.copy(this.#rest, this.#restBytes)
    }
    this.#restBytes = end
  }

  #finish(lines: Line[]): void {
    if (this.#restBytes > LINE_BYTES_MAX) {
      this.#lineNumber++
      lines.push({ number: this.#lineNumber, text: excerpt(this.#rest), fault: TOO_LONG })
    } else {
      this.#decode(this.#rest.subarray(0, this.#restBytes), lines)
    }
    this.#restBytes = 0
  }

  /** The lines of bytes that hold whole lines, without the last line feed. */
  #decode(bytes: Buffer, lines: Line[]): void {
    if (isUtf8(bytes)) {
      for (const text of bytes.toString('utf8').split('\n')) this.#add(text, lines)
      return
    }
    for (let start = 0; start <= bytes.length; ) {
      const found = bytes.indexOf(LINE_FEED, start)
      const end = found < 0 ? bytes.length : found
      const line = bytes.subarray(start, end)
      if (isUtf8(line)) this.#add(line.toString('utf8'), lines)
      else {
        this.#lineNumber++
        lines.push({ number: this.#lineNumber, text: excerpt(line), fault: NOT_UTF8 })
      }
      start = end + 1
    }
  }

  #add(text: string, lines: Line[]): void {
    this.#lineNumber++
    // A byte order mark is allowed at the very beginning; a carriage return is JSON's own white space.
    const line = this.#lineNumber === 1 && text.startsWith('\ufeff') ? text.slice(1) : text
    if (line.startsWith('{') || line.trim() !== '')
      lines.push({ number: this.#lineNumber, text: line })
  }
}

function excerpt(bytes: Buffer): string {
  return bytes.subarray(0, EXCERPT_BYTES).toString('utf8')
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
