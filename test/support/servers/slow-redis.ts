/**
 * A proxy in front of the real Redis that delays every answer. Requests arrive at once, and answers stay in order.
 */
import type { ExecutionContext } from 'ava'
import { tcpProxy } from './tcp-proxy.ts'

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
  const slow: SlowRedis = { redisUrl, delayMs: 0, heldBack: 0 }
  const proxy = await tcpProxy(t, redisUrl, (client, bytes) => {
    if (slow.delayMs > 0) slow.heldBack += 1
    setTimeout(() => client.write(bytes), slow.delayMs)
  })
  slow.redisUrl = proxy.url
  return slow
}
