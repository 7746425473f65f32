/** Frames of PostgreSQL's protocol: a code and a length, which counts itself, before each message of the server. */

const HEADER_BYTES = 5
const LENGTH_BYTES = 4
/** The longest message of all but a few kinds, as in libpq. */
const SHORT_MAX = 30_000
/** The longest string of V8; four letters of a text, read as a length, are more: the stream is out of step. */
const LONG_MAX = 2 ** 29 - 1

const setOf = (codes: string): ReadonlySet<number> => new Set(Buffer.from(codes))
/** Codes of the messages that a server sends, in the order of the protocol's documentation. */
const CODES = setOf('RKS23CdcGHWDIEVvnNAtsZT1')
/**
 * CopyData, DataRow, ErrorResponse, FunctionCallResponse, NoticeResponse, NotificationResponse, RowDescription,
 * ParameterDescription.
 */
const LONG_CODES = setOf('dDEVNATt')
/** ErrorResponse, NoticeResponse: a list of fields, each with a zero at its end, and a further zero. */
const LIST_CODES = setOf('EN')

/** Follows a stream of messages from its beginning. */
export class Frames {
  /** Bytes until the message ends whose header was read. */
  private left = 0
  /** Whether the message is a list of fields. */
  private isList = false
  /** A header of which only the beginning was received. */
  private readonly header = Buffer.alloc(HEADER_BYTES)
  private headerBytes = 0
  /** The last byte of the chunk before. */
  private before = 0

  /** Throws where these bytes hold no message that a server sends: the parser would throw, wait for ever or never return. */
  check(bytes: Buffer): void {
    const { length } = bytes
    let at = this.headerBytes === 0 ? 0 : this.completeHeader(bytes)
    while (at < length && this.headerBytes === 0) {
      const end = at + this.left
      if (end > length) {
        this.left = end - length
        break
      }
      if (this.isList) this.checkEnd(bytes, end)
      at = this.readHeader(bytes, end)
    }
    if (length > 0) this.before = bytes[length - 1] ?? 0
  }

  /** Returns where the message's content begins. */
  private readHeader(bytes: Buffer, at: number): number {
    if (at + HEADER_BYTES > bytes.length) {
      this.headerBytes = bytes.copy(this.header, 0, at)
      this.left = 0
      this.isList = false
      return bytes.length
    }
    this.begin(bytes, at)
    return at + HEADER_BYTES
  }

  private completeHeader(bytes: Buffer): number {
    const added = bytes.copy(this.header, this.headerBytes)
    this.headerBytes += added
    if (this.headerBytes === HEADER_BYTES) {
      this.headerBytes = 0
      this.begin(this.header, 0)
    }
    return added
  }

  private begin(bytes: Buffer, at: number): void {
    const code = bytes[at] ?? 0
    const length = bytes.readUInt32BE(at + 1)
    if (!CODES.has(code)) throw new Error(`no message has the code 0x${code.toString(16)}`)
    const most = LONG_CODES.has(code) ? LONG_MAX : SHORT_MAX
    if (length < LENGTH_BYTES || length > most) {
      const name = String.fromCharCode(code)
      throw new Error(`message "${name}": length ${length}, expected ${LENGTH_BYTES} to ${most}`)
    }
    this.left = length - LENGTH_BYTES
    this.isList = LIST_CODES.has(code)
  }

  /** The parser looks for the end of the list, and beyond the message where it has none. */
  private checkEnd(bytes: Buffer, end: number): void {
    const last = bytes[end - 1] ?? 0
    const next = end > 1 ? bytes[end - 2] : this.before
    if (last !== 0 || next !== 0) throw new Error('an error of the server has no end')
  }
}
