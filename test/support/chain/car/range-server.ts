/** Files over real HTTP with ranges, and a server that misbehaves as a test demands. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * - `whole`: status 200 with the whole file
 * - `short`: the response is complete, and lacks the second half of the range
 * - `reset`: the connection breaks off in the middle
 * - `elsewhere`: another range than the requested one
 * - `changed`: another version of the file
 * - `packed`: a content-encoding that was not requested
 * - a number: that status
 */
type RangeFault = 'whole' | 'short' | 'reset' | 'elsewhere' | 'changed' | 'packed' | number

type RangeRequest = { path: string; range: string | undefined; attempt: number }

export class RangeServer {
  readonly requests: RangeRequest[] = []
  readonly files: Map<string, Buffer>
  disturb: ((received: RangeRequest) => RangeFault | undefined) | undefined
  readonly #server = createServer((request, response) => this.#answer(request, response))

  private constructor(files: ReadonlyMap<string, Buffer>) {
    this.files = new Map(files)
  }

  static async start(files: ReadonlyMap<string, Buffer>): Promise<RangeServer> {
    const server = new RangeServer(files)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  #answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const path = url.slice(1)
    const { range } = headers
    const attempt = this.requests.filter((each) => each.path === path).length
    const received = { path, range, attempt }
    this.requests.push(received)
    const fault = this.disturb?.(received)
    const file = this.files.get(path)
    if (typeof fault === 'number') {
      response.writeHead(fault, fault === 429 ? { 'retry-after': '0' } : {}).end('not now')
    } else if (file === undefined) response.writeHead(404).end()
    else if (range === undefined || fault === 'whole') response.writeHead(200).end(file)
    else sendRange(file, range, fault, response)
  }
}

function sendRange(
  file: Buffer,
  range: string,
  fault: RangeFault | undefined,
  response: ServerResponse,
): void {
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
  const start = Number(first) + (fault === 'elsewhere' ? 1 : 0)
  if (start >= file.length) {
    response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end()
    return
  }
  const end = Math.min(Number(last), file.length - 1)
  const part = file.subarray(start, end + 1)
  const half = part.subarray(0, Math.ceil(part.length / 2))
  const sent = fault === 'short' ? half : part
  response.writeHead(206, {
    'content-range': `bytes ${start}-${end}/${file.length}`,
    'content-length': sent.length,
    etag: fault === 'changed' ? '"another"' : '"one"',
    ...(fault === 'packed' ? { 'content-encoding': 'gzip' } : {}),
  })
  if (fault !== 'reset') response.end(sent)
  else response.write(half, () => response.destroy())
}
