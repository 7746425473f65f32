// A WebSocket server that sends the frames of the feed one by one, as fast as its client takes them: an API writes the events
// of a commit into one frame, so a million frames of it would be a million commits.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { type WebSocket, WebSocketServer } from 'ws'

/** Frames after which the server waits until they are written. */
const RUN = 64

type FrameServer = {
  url: string
  /** Connections that subscribed, and those that are open. */
  count(): { subscribed: number; open: number }
}

/** A connection ends after `perConnection` frames. `frame`: the text of frame `n` of a connection, and when it is sent. */
export async function frameServer(
  t: Pick<ExecutionContext, 'teardown'>,
  perConnection: number,
  frame: (n: number, total: number) => string | Promise<string> = oneSwap,
): Promise<FrameServer> {
  // A page of this origin, for clients in a browser.
  const http = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>frames</title>')
  })
  const server = new WebSocketServer({ server: http, path: '/ws/v1' })
  let subscribed = 0
  let total = 0
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    socket.send('{"type":"welcome"}')
    socket.once('message', () => {
      subscribed++
      socket.send('{"type":"subscribed","sub":"client","cursor":"e-0"}')
      void sendFrames(socket, perConnection, (n) => frame(n, total++))
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
    http.close()
  })
  const { port } = http.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => ({ subscribed, open: server.clients.size }),
  }
}

async function sendFrames(
  socket: WebSocket,
  count: number,
  frame: (n: number) => string | Promise<string>,
): Promise<void> {
  for (let n = 0; n < count && socket.readyState === socket.OPEN; n++) {
    const sent = frame(n)
    const text = typeof sent === 'string' ? sent : await sent
    if (n % RUN !== 0) socket.send(text)
    else await new Promise<unknown>((written) => socket.send(text, written))
  }
  socket.close(1001)
}

/** A frame with one swap, whose slot counts the frames of all connections. */
export function oneSwap(n: number, total: number): string {
  const swap = `{"kind":"swap","slot":"${total}","timestamp":"1","sol_amount":"9007199254740993"}`
  return `{"type":"data","sub":"client","n":${n},"cursor":"e-${total}","data":[${swap}]}`
}
