/**
 * A way to Redis on which every answer is late: a TCP proxy in front of the real server. What is asked
 * arrives at once, and answers keep their order.
 */

import { once } from 'node:events'
import { createServer, connect as dial, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'

export type SlowRedis = {
  redisUrl: string
  /** Milliseconds that each answer from now on is held back. */
  delayMs: number
  /** Answers that were held back. */
  heldBack: number
}

/** Closed with the test. */
export async function slowRedis(
  t: Pick<ExecutionContext, 'teardown'>,
  redisUrl: string,
): Promise<SlowRedis> {
  const target = new URL(redisUrl)
  const slow: SlowRedis = { redisUrl, delayMs: 0, heldBack: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = dial(Number(target.port), target.hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (bytes) => {
      if (slow.delayMs > 0) slow.heldBack += 1
      setTimeout(() => client.write(bytes), slow.delayMs)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const own = new URL(redisUrl)
  own.hostname = '127.0.0.1'
  own.port = String((server.address() as { port: number }).port)
  slow.redisUrl = own.href
  return slow
}
