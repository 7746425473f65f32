/**
 * The HTTP server and its limits on slow, unfinished and oversized requests.
 *
 * Invariant: input that cannot be parsed as a request is answered in the API's error envelope too, unless a response
 * is already under way on its connection.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { ApiError, renderError } from '../routing/error.ts'
import { boundConnections, type ClientConnections, type Overflow } from './connection-limit.ts'

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 30_000,
  maxHeaderSize: 16 * 1024,
  // Resolution of the timeouts above: Node checks every 30 s by default.
  connectionsCheckingInterval: 1_000,
  // Node would refuse it with an empty body; `faultOf` names the missing header.
  requireHostHeader: false,
}
/** Requests on one connection before a response carries `Connection: close`. */
const MAX_REQUESTS_PER_SOCKET = 10_000

/** Status and text of parser errors, by Node's code. */
const REFUSALS: Readonly<Record<string, readonly [status: number, text: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are over 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the extensions of a chunk are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'the request did not come in time: headers have 10 s, all of it 15 s',
  ],
}
const MALFORMED = [400, 'this is no HTTP request'] as const
const JSON_TYPE = 'application/json; charset=utf-8'

type HttpServer = { server: Server; connections: ClientConnections }

type HttpServerOptions = {
  connectionsMax: number
  /** Milliseconds without progress of a response after which its connection is closed. */
  stallMs: number
  onOverflow: (outcome: Overflow) => void
}

export function createHttpServer(
  listener: RequestListener,
  options: HttpServerOptions,
): HttpServer {
  // An offer of another protocol, such as h2c, is answered in HTTP/1.1; so is every upgrade while no listener handles
  // WebSockets: an upgrade that is accepted and never answered would stay open for ever.
  const shouldUpgradeCallback = ({ headers, socket }: IncomingMessage): boolean => {
    const isTaken = server.listenerCount('upgrade') > 0
    if (headers.upgrade?.toLowerCase() !== 'websocket' || !isTaken) return false
    connections.keep(socket)
    return true
  }
  const server: Server = createServer({ ...LIMITS, shouldUpgradeCallback }, (request, response) => {
    const error = requestErrorOf(request)
    if (error === undefined) listener(request, response)
    else refuse(response, 400, error)
  })
  server.on('checkExpectation', (_request, response: ServerResponse) =>
    refuse(response, 417, 'Expect: only 100-continue can be had'),
  )
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET
  server.timeout = options.stallMs
  const full = new ApiError('UNAVAILABLE', 'too many connections: try again')
  const connections = boundConnections(server, { ...options, refusal: answerTo(503, full) })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else if (!connections.isAnswering(socket)) {
      socket.end(refusalOf(error.code), () => socket.destroy())
    } else if (!connections.endAnswered(socket)) socket.destroy()
  })
  return { server, connections }
}

/** Error text of a request. Reduces an absolute URL, the form for proxies, to its path, as all later code expects. */
function requestErrorOf(request: IncomingMessage): string | undefined {
  const { url = '', httpVersion, headers } = request
  if (httpVersion === '1.1' && headers.host === undefined) return 'the header Host is missing'
  if (url.startsWith('/') || url === '*') return undefined
  const whole = URL.parse(url)
  if (whole === null || !/^https?:$/.test(whole.protocol)) return 'this is no URL'
  request.url = whole.pathname + whole.search
  return undefined
}

function refuse(response: ServerResponse, status: number, text: string): void {
  const { body } = renderError(new ApiError('INVALID_PARAM', text), 'enveloped')
  response.writeHead(status, { Connection: 'close', 'Content-Type': JSON_TYPE })
  response.end(JSON.stringify(body))
}

function refusalOf(code = ''): string {
  const [status, text] = REFUSALS[code] ?? MALFORMED
  return answerTo(status, new ApiError('INVALID_PARAM', text))
}

function answerTo(status: number, error: ApiError): string {
  const { body, headers } = renderError(error, 'enveloped')
  const json = JSON.stringify(body)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(json)}`,
    '',
    json,
  ].join('\r\n')
}
