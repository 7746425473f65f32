/**
 * Load shedding by connection: a cap on the open connections of the HTTP server, WebSockets included.
 *
 * Invariant: a connection with a request under way, or that became a WebSocket, is never closed to make room. At the
 * cap the longest idle connection is closed; without an idle one the new connection is refused with 503. So idle
 * sockets, however many are opened, cannot lock clients out.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Outcome at the cap: `shed` if an idle connection was closed for the new one, `refused` if the new one was. */
export type Overflow = 'shed' | 'refused'

export type ClientConnections = {
  count(): number
  /** Whether bytes written now could corrupt a response under way, or be taken for the response to another request. */
  isAnswering(socket: Duplex): boolean
  /** Closes it after the response to its newest request; false if that is incomplete or its headers were sent. */
  endAnswered(socket: Duplex): boolean
  /** Marks a connection that becomes a WebSocket: it is never closed to make room. */
  keep(socket: Duplex): void
}

type ConnectionBounds = {
  connectionsMax: number
  /** Response to a refused connection. */
  refusal: string
  onOverflow: (outcome: Overflow) => void
}

export function boundConnections(server: Server, bounds: ConnectionBounds): ClientConnections {
  const { connectionsMax, refusal, onOverflow } = bounds
  let open = 0
  /** Idle connections, the longest idle first. */
  const idle = new Set<Duplex>()
  /** Responses under way per connection: several where a client pipelines requests. */
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

/** Whether the response has begun, or will: its request is complete. */
const isAnswered = ({ headersSent, req }: ServerResponse): boolean => headersSent || req.complete
