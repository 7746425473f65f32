/**
 * How many connections the HTTP server holds: requests and WebSockets together, so many and no more.
 *
 * Law: one with a request under way, or that became a WebSocket, is never cut for another's sake. At the bound
 * the one that has said nothing for longest makes room; where there is none, who comes is refused. So sockets
 * that are opened and left alone, however many, keep nobody from being answered.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** What became of a connection for want of room: cut for another's sake, or not let in. */
export type Overflow = 'shed' | 'refused'

export type ClientConnections = {
  count(): number
  /** Whether what is written onto it now could come into an answer, or in another's place. */
  isAnswering(socket: Duplex): boolean
  /** Whether it ends with the answer to the newest request, which came whole and has none yet. */
  endAnswered(socket: Duplex): boolean
  /** It becomes a WebSocket: from now on it is cut for nobody's sake. */
  keep(socket: Duplex): void
}

export type ConnectionBounds = {
  connectionsMax: number
  /** Response to a refused connection. */
  refusal: string
  onOverflow: (outcome: Overflow) => void
}

export function boundConnections(server: Server, bounds: ConnectionBounds): ClientConnections {
  const { connectionsMax, refusal, onOverflow } = bounds
  let open = 0
  /** The one that has said nothing for longest first. */
  const idle = new Set<Duplex>()
  /** Answers to requests under way: a client may send the next before it has its answer. */
  const underWay = new WeakMap<Duplex, Set<ServerResponse>>()

  const makeRoom = (): boolean => {
    const [longest] = idle
    if (longest === undefined) return false
    idle.delete(longest)
    longest.destroy()
    return true
  }
  server.on('connection', (socket: Socket) => {
    open++
    socket.once('close', () => {
      open--
      idle.delete(socket)
    })
    if (open <= connectionsMax) idle.add(socket)
    else if (makeRoom()) {
      idle.add(socket)
      onOverflow('shed')
    } else {
      socket.end(refusal, () => socket.destroy())
      onOverflow('refused')
    }
  })
  server.on('request', ({ socket }, response) => {
    idle.delete(socket)
    const responses = underWay.get(socket) ?? new Set()
    underWay.set(socket, responses.add(response))
    response.once('close', () => {
      responses.delete(response)
      if (responses.size === 0 && !socket.destroyed) idle.add(socket)
    })
  })
  return {
    count: () => open,
    isAnswering(socket) {
      const responses = [...(underWay.get(socket) ?? [])]
      return responses.length > 1 || responses.some(isAnswered)
    },
    endAnswered(socket) {
      const newest = [...(underWay.get(socket) ?? [])].at(-1)
      if (newest === undefined || newest.headersSent || !newest.req.complete) return false
      newest.setHeader('Connection', 'close')
      return true
    },
    keep: (socket) => idle.delete(socket),
  }
}

/** Or will be: its request came whole. */
const isAnswered = ({ headersSent, req }: ServerResponse): boolean => headersSent || req.complete
