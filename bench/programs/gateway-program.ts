/**
 * Baselines alongside the API in the measurement of the gateway: a bare Koa that answers with a body of so
 * many bytes, and a loop through the gate only, over the real keys and limits.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { openGateway } from '../../api/gateway/gateway.ts'
import { programLog, programOptions, sendToStarter, untilStopRequested } from './program.ts'

export type GatewayMessage =
  | { kind: 'ready'; url: string }
  | { kind: 'passed'; micros: number; perSecond: number }

type Passing = { pass: number; databaseUrl: string; redisUrl: string; keys: readonly string[] }
export type GatewayRequest = { serve: number } | Passing

/** Concurrent requests of a busy process. */
const AT_ONCE = 16
const WARM_UP = 2_000

const request = programOptions<GatewayRequest>()
if ('serve' in request) await serve(request.serve)
else await pass(request)
process.disconnect?.()

async function serve(bytes: number): Promise<void> {
  const app = new Koa()
  const body = JSON.stringify({ a: 'x'.repeat(bytes - '{"a":""}'.length) })
  app.use((context) => {
    context.type = 'application/json'
    context.body = body
  })
  const server = createServer(app.callback())
  server.listen(0, '127.0.0.1', () => {
    sendToStarter<GatewayMessage>({
      kind: 'ready',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    })
  })
  await untilStopRequested()
  server.close()
  server.closeAllConnections()
}

async function pass({ databaseUrl, redisUrl, keys, pass: count }: Passing): Promise<void> {
  const gateway = await openGateway({
    databaseUrl,
    redisUrl,
    prefix: 'bench.',
    deadlineMs: 5_000,
    now: Date.now,
    log: programLog,
  })
  let left = count + WARM_UP
  let from = process.cpuUsage()
  let fromMs = performance.now()
  const go = async (lane: number): Promise<void> => {
    while (left > 0) {
      left -= 1
      if (left === count) {
        from = process.cpuUsage()
        fromMs = performance.now()
      }
      const header = keys[(lane + left) % keys.length]
      await gateway.admissionControl.admit({ header, authorization: undefined, query: undefined })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => go(lane)))
  const { user, system } = process.cpuUsage(from)
  sendToStarter<GatewayMessage>({
    kind: 'passed',
    micros: (user + system) / count,
    perSecond: count / ((performance.now() - fromMs) / 1_000),
  })
  await gateway.end()
}
