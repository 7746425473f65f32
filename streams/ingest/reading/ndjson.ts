/**
 * Splits bytes into lines, in runs of ready ones, with their numbers. Input that is no UTF-8 text at all (gzip, UTF-16)
 * is refused as a whole: ForeignInput.
 *
 * Law: memory does not grow with the input. Bytes are read 64 KiB at a time; an unfinished line is copied (the source
 * may use its buffer again) up to 1 MiB, beyond which the line is refused and its bytes are dropped. A block is decoded
 * at once, so a line costs no call of its own; only a block with invalid UTF-8 is decoded line by line, to refuse only
 * the broken lines.
 */
import { Buffer, isUtf8 } from 'node:buffer'
import { foreignKindOf, HEAD_BYTES } from './file-kind.ts'

/**
 * A line that is not blank, unless blank ones are wanted, counted from 1 (blank ones count); `fault` is the reason why it is unreadable. `isUnended`:
 * the input ends without a line feed, so the line may be truncated.
 */
export type Line = { number: number; text: string; error?: string; isUnended?: true }

/** Offset and line count before a position, blank lines included; always the beginning of a line. */
export type LinePosition = { bytes: number; lines: number }

/** Lines in input order, at least one and at most a block's, and the position after them. */
type LineRun = { lines: Line[]; end: LinePosition }

/** The input is no UTF-8 text; the message names its kind. */
export class ForeignInput extends Error {
  override name = 'ForeignInput'
}

export const LINE_BYTES_MAX = 2 ** 20
const BLOCK_BYTES = 64 * 1024
/** How much of an unreadable line is retained for its report. */
const EXCERPT_BYTES = 400
const LINE_FEED = 10
const BYTE_ORDER_MARKS = /^\ufeff+/
const BYTE_ORDER_MARK = 0xfeff
const TOO_LONG = 'expected a line of at most 1 MiB'
const NOT_UTF8 = 'expected UTF-8'

/**
 * Yields the lines of an input that begins at `from` of a larger one (default: its own beginning). Only a beginning is
 * judged by its kind. `hasBlanks`: blank lines are yielded too, because a quoted cell of CSV may hold them. Throws
 * ForeignInput.
 */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  from: LinePosition = { bytes: 0, lines: 0 },
  hasBlanks = false,
): AsyncGenerator<LineRun> {
  const splitter = new LineSplitter(from, hasBlanks)
  for await (const chunk of from.bytes === 0 ? afterCheckedHead(input) : input) {
    for (let start = 0; start < chunk.length; start += BLOCK_BYTES) {
      const lines = splitter.split(toBuffer(chunk.subarray(start, start + BLOCK_BYTES)))
      if (lines.length > 0) yield { lines, end: splitter.position() }
    }
  }
  const last = splitter.end()
  if (last.length > 0) yield { lines: last, end: splitter.position() }
}

/** The input, held back until enough of it came to judge its kind. */
async function* afterCheckedHead(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of input) {
    if (head === undefined) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    // A line feed is the end of a short first line, but one at the very beginning may be UTF-16.
    if (head.length < HEAD_BYTES && head.indexOf(LINE_FEED) < 1) continue
    yield expectText(head)
    head = undefined
  }
  if (head !== undefined) yield expectText(head)
}

function expectText(head: Buffer): Buffer {
  const kind = foreignKindOf(head)
  if (kind !== undefined) throw new ForeignInput(kind)
  return head
}

/** Pieces of bytes in, whole lines out; holds the line that is not finished yet. */
class LineSplitter {
  #lineNumber: number
  /** Bytes read so far, the unfinished line included. */
  #bytes: number
  /** Room for the unfinished line; grows to 1 MiB at most and is used again. */
  #rest = Buffer.alloc(BLOCK_BYTES)
  /** Bytes of the unfinished line; those beyond 1 MiB are counted only. */
  #restBytes = 0
  readonly #hasBlanks: boolean

  constructor({ bytes, lines }: LinePosition, hasBlanks: boolean) {
    this.#hasBlanks = hasBlanks
    this.#bytes = bytes
    this.#lineNumber = lines
  }

  /** After the last whole line. */
  position(): LinePosition {
    return { bytes: this.#bytes - this.#restBytes, lines: this.#lineNumber }
  }

  split(block: Buffer): Line[] {
    const lines: Line[] = []
    this.#bytes += block.length
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
    for (const line of lines) if (line.error !== TOO_LONG) line.isUnended = true
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
      lines.push({ number: this.#lineNumber, text: excerpt(this.#rest), error: TOO_LONG })
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
        lines.push({ number: this.#lineNumber, text: excerpt(line), error: NOT_UTF8 })
      }
      start = end + 1
    }
  }

  #add(text: string, lines: Line[]): void {
    this.#lineNumber++
    // Files that were joined have a byte order mark each; a carriage return is JSON's own white space.
    const line = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.replace(BYTE_ORDER_MARKS, '') : text
    if (this.#hasBlanks || line.startsWith('{') || line.trim() !== '')
      lines.push({ number: this.#lineNumber, text: line })
  }
}

function excerpt(bytes: Buffer): string {
  return bytes.subarray(0, EXCERPT_BYTES).toString('utf8')
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
