/**
 * GET over HTTP/1.1 on keep-alive connections, as cheap as possible: the load's cost on the measured machine is taken
 * from the server.
 *
 * Law: an answer is its status and as many bytes as its length, read to the last; one without a length (204 and 304
 * apart, which have no body), with another one, or whose connection ends before, is a failure. One request a connection at a time: a request without a free
 * connection opens one.
 */
import { connect, type Socket } from 'node:net'

/** `parts` are the undecoded body, of the declared length; `hasRetryAfter`: whether a 429 or 503 has that header. */
type PlainAnswer = { status: number; parts: Buffer[]; hasRetryAfter: boolean }

export type PlainClient = {
  /** `headers` are whole lines, each with its end. Rejects when there is no whole answer. */
  get(path: string, headers: string): Promise<PlainAnswer>
  /** Ends all connections; pending requests are rejected. */
  close(): void
}

type Reading = PromiseWithResolvers<PlainAnswer>
/** A connection with the received part of the current answer; `left` is undefined up to the end of its headers. */
type Line = {
  socket: Socket
  reading: Reading | undefined
  head: Buffer | undefined
  answer: PlainAnswer
  left: number | undefined
  isLast: boolean
}

const END_OF_HEAD = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i
const HAS_NO_BODY = /^HTTP\/1\.1 (204|304) /
const RETRY_AFTER = /\r\nretry-after: \d+\r\n/i
const CLOSES = /\r\nconnection: close\r\n/i
/** Offset of the status in `HTTP/1.1 200 OK`. */
const STATUS_AT = 9

/** To the server of `url`, an origin; `port` with it. */
export function openPlainClient(url: string): PlainClient {
  const { hostname, port, host } = new URL(url)
  const lines = new Set<Line>()
  const free: Line[] = []
  const end = (line: Line, why: Error): void => {
    lines.delete(line)
    line.socket.destroy()
    line.reading?.reject(why)
    line.reading = undefined
  }
  const finish = (line: Line): void => {
    const { reading, answer, isLast } = line
    Object.assign(line, { reading: undefined, head: undefined, left: undefined })
    if (isLast) end(line, new Error('the last answer of its connection'))
    else free.push(line)
    reading?.resolve(answer)
  }
  const open = (): Line => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const answer = { status: 0, parts: [], hasRetryAfter: false }
    const line: Line = {
      ...{ socket, answer, reading: undefined, head: undefined },
      ...{ left: undefined, isLast: false },
    }
    lines.add(line)
    socket.on('data', (chunk) => {
      try {
        if (take(line, chunk)) finish(line)
      } catch (error) {
        end(line, error as Error)
      }
    })
    socket.on('error', (error) => end(line, error))
    socket.on('close', () => end(line, new Error('the connection ended')))
    return line
  }
  const freeLine = (): Line => {
    for (;;) {
      const line = free.pop()
      if (line === undefined) return open()
      if (lines.has(line)) return line
    }
  }
  return {
    get(path, headers) {
      const line = freeLine()
      const reading = Promise.withResolvers<PlainAnswer>()
      line.reading = reading
      line.socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`, 'latin1')
      return reading.promise
    },
    close() {
      for (const line of lines) end(line, new Error('closed'))
    },
  }
}

/** Whether the answer is complete with this. Throws for an invalid one. */
function take(line: Line, chunk: Buffer): boolean {
  if (line.reading === undefined) throw new Error('received a response without a request')
  let body = chunk
  if (line.left === undefined) {
    const came = line.head === undefined ? chunk : Buffer.concat([line.head, chunk])
    const headBytes = came.indexOf(END_OF_HEAD)
    line.head = came
    if (headBytes < 0) return false
    const head = came.toString('latin1', 0, headBytes + 2)
    const length = HAS_NO_BODY.test(head) ? '0' : LENGTH.exec(head)?.[1]
    if (length === undefined) throw new Error(`an answer without its length: ${head}`)
    line.left = Number(length)
    line.isLast = CLOSES.test(head)
    const status = Number(head.slice(STATUS_AT, STATUS_AT + 3))
    const hasRetryAfter = (status === 429 || status === 503) && RETRY_AFTER.test(head)
    line.answer = { status, parts: [], hasRetryAfter }
    body = came.subarray(headBytes + END_OF_HEAD.length)
  }
  line.left -= body.length
  if (line.left < 0) throw new Error('received a response longer than its content-length')
  if (body.length > 0) line.answer.parts.push(body)
  return line.left === 0
}
