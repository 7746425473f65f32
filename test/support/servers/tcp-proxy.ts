/** A TCP proxy to a real server, through which a test decides what passes and when. */
import { once } from 'node:events'
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'

export type TcpProxy = {
  /** The server's URL with the address of this proxy. */
  url: string
  /** Resets open connections, and refuses others until it is mended. */
  cut(): void
  mend(): void
  /** Passes new connections to another server. */
  point(serverUrl: string): void
}

/**
 * Node (24.21) never closes a socket that is reset while its end is being sent, and a thread with such a socket does not
 * end: it is destroyed without a reset.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** `answer` passes the server's data to the client; absent: at once. Closed with the test. */
export async function tcpProxy(
  t: Pick<ExecutionContext, 'teardown'>,
  serverUrl: string,
  answer: (client: Socket, bytes: Buffer) => void = (client, bytes) => client.write(bytes),
): Promise<TcpProxy> {
  let target = new URL(serverUrl)
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) {
      reset(client)
      return
    }
    const upstream = dial(Number(target.port), target.hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.once('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (bytes) => answer(client, bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    isCut = true
    for (const socket of open) reset(socket)
  }
  t.teardown(() => {
    cut()
    server.close()
  })
  const own = new URL(serverUrl)
  own.hostname = '127.0.0.1'
  own.port = String((server.address() as AddressInfo).port)
  const mend = (): void => {
    isCut = false
  }
  const point = (url: string): void => {
    target = new URL(url)
  }
  return { url: own.href, cut, mend, point }
}
