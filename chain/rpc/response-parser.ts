/**
 * One response of HTTP/1.1 from bytes as they arrive. Pure, but for the part of a line that it holds.
 *
 * Law: the same response is read however its bytes are cut, and bytes that break the rules throw MalformedResponse. A body
 * is framed by exactly one of its length, its chunks, and the end of the connection. Body bytes are passed on uncopied, or
 * the owner of the connection reads them to where they belong and reports their number.
 */

export class MalformedResponse extends Error {
  override name = 'MalformedResponse'
}

export type ResponseHead = {
  readonly status: number
  /** By lower-case name; values of the same name are joined by commas. */
  readonly headers: ReadonlyMap<string, string>
}

export type ResponseListener = {
  onHead(head: ResponseHead): void
  onBody(bytes: Buffer): void
}

type Stage = 'status' | 'headers' | 'body' | 'size' | 'chunk' | 'chunk_end' | 'trailers' | 'done'

/** The bound of node:http for the lines before a body. */
const LINES_BYTES_MAX = 16 * 1024
const NEWLINE = 0x0a
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: .*)?$/
const HEADER_LINE = /^([!#$%&'*+.^_`|~\dA-Za-z-]+):[ \t]*(.*?)[ \t]*$/
const SIZE_LINE = /^([\dA-Fa-f]{1,12})[ \t]*(?:;.*)?$/
const LENGTH = /^\d{1,15}$/
const STATUS_SWITCHING = 101
const STATUSES_WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304])

export class ResponseParser {
  readonly #listener: ResponseListener
  #stage: Stage = 'status'
  #line = ''
  #linesBytes = 0
  #left = 0
  #status = 0
  #isPersistent = false
  #headers = new Map<string, string>()

  constructor(listener: ResponseListener) {
    this.#listener = listener
  }

  get isDone(): boolean {
    return this.#stage === 'done'
  }

  /** Whether another response may follow on the connection. */
  get isPersistent(): boolean {
    return this.#isPersistent
  }

  /** Bytes of the body that come next, with nothing between them. */
  get bodyBytesNext(): number {
    return this.#stage === 'body' || this.#stage === 'chunk' ? this.#left : 0
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.isDone) throw new MalformedResponse('response has bytes after its end')
      at = this.bodyBytesNext > 0 ? this.#pushBody(bytes, at) : this.#pushLine(bytes, at)
    }
  }

  /** Passes over body bytes, at most `bodyBytesNext`. */
  pass(count: number): void {
    this.#left -= count
    if (this.#left === 0) this.#stage = this.#stage === 'body' ? 'done' : 'chunk_end'
  }

  /** The connection has ended: that completes a body without a length. */
  end(): void {
    if (this.#stage === 'body' && this.#left === Number.POSITIVE_INFINITY) this.#stage = 'done'
  }

  #pushBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left)
    this.#listener.onBody(bytes.subarray(at, end))
    this.pass(end - at)
    return end
  }

  #pushLine(bytes: Buffer, at: number): number {
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline === -1 ? bytes.length : newline
    this.#linesBytes += end - at
    if (this.#linesBytes > LINES_BYTES_MAX) {
      throw new MalformedResponse(`headers of more than ${LINES_BYTES_MAX} bytes`)
    }
    this.#line += bytes.toString('latin1', at, end)
    if (newline === -1) return end
    const line = this.#line
    this.#line = ''
    if (!line.endsWith('\r')) throw new MalformedResponse('line without a carriage return')
    this.#readLine(line.slice(0, -1))
    return newline + 1
  }

  #readLine(line: string): void {
    const isEmpty = line === ''
    if (this.#stage === 'status') this.#readStatus(line)
    else if (this.#stage === 'size') this.#readSize(line)
    else if (this.#stage === 'chunk_end') {
      if (!isEmpty) throw new MalformedResponse('chunk is longer than its size')
      this.#beginLines('size')
    } else if (this.#stage === 'trailers') {
      if (isEmpty) this.#stage = 'done'
    } else if (isEmpty) this.#endHeaders()
    else this.#readHeader(line)
  }

  #beginLines(stage: Stage): void {
    this.#stage = stage
    this.#linesBytes = 0
  }

  #readStatus(line: string): void {
    const [, minor, status] = STATUS_LINE.exec(line) ?? []
    if (status === undefined) throw new MalformedResponse('response is not HTTP/1.1')
    this.#status = Number(status)
    this.#isPersistent = minor === '1'
    this.#headers = new Map()
    this.#stage = 'headers'
  }

  #readHeader(line: string): void {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? []
    if (name === undefined) throw new MalformedResponse('header without a name')
    const key = name.toLowerCase()
    const known = this.#headers.get(key)
    this.#headers.set(key, known === undefined ? value : `${known}, ${value}`)
  }

  #endHeaders(): void {
    const [status, headers] = [this.#status, this.#headers]
    if (status === STATUS_SWITCHING) throw new MalformedResponse('protocol is switched')
    if (status < 200) {
      // Interim: the response proper follows.
      this.#beginLines('status')
      return
    }
    this.#beginBody(headers.get('transfer-encoding'), headers.get('content-length'))
    if (/\bclose\b/i.test(headers.get('connection') ?? '')) this.#isPersistent = false
    this.#listener.onHead({ status, headers })
  }

  #beginBody(coding: string | undefined, length: string | undefined): void {
    if (STATUSES_WITHOUT_BODY.has(this.#status)) this.#stage = 'done'
    else if (coding !== undefined) {
      if (coding.toLowerCase() !== 'chunked' || length !== undefined) {
        throw new MalformedResponse('expected a body in chunks or with a length')
      }
      this.#beginLines('size')
    } else if (length === undefined) {
      this.#isPersistent = false
      this.#left = Number.POSITIVE_INFINITY
      this.#stage = 'body'
    } else {
      if (!LENGTH.test(length)) throw new MalformedResponse('length is not a number')
      this.#left = Number(length)
      this.#stage = this.#left === 0 ? 'done' : 'body'
    }
  }

  #readSize(line: string): void {
    const [, digits] = SIZE_LINE.exec(line) ?? []
    if (digits === undefined) throw new MalformedResponse('size of a chunk is not a number')
    this.#left = Number.parseInt(digits, 16)
    if (this.#left === 0) this.#beginLines('trailers')
    else this.#stage = 'chunk'
  }
}
