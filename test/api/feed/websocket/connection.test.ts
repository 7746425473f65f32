/**
 * A connection on a socket of its own, whose kernel holds little (a Unix one: TCP's grows with its reader), and a
 * client that reads slowly or not at all. Megabytes wait for it, most of them in one write.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import test, { type ExecutionContext } from 'ava'
import { WebSocket, WebSocketServer } from 'ws'
import { FeedWebSocket } from '../../../../api/feed/feed-web-socket.ts'
import { Connection, type ConnectionDeps } from '../../../../api/feed/websocket/connection.ts'
import { TIMING } from '../../../../api/feed/websocket/protocol/timing.ts'
import { Session } from '../../../../api/feed/websocket/session.ts'
import { SILENT } from '../../../support/api/api-under-test.ts'
import { until } from '../../../support/workers/pipeline.ts'

const FRAMES = 60
const FRAME = { type: 'test', text: 'x'.repeat(100_000) }
/** Longer than a loaded machine delays a timer, and shorter than all frames take. */
const STALL_MS = 5_000

/** The two ends of a WebSocket, gone with the test. */
async function bothEnds(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'swaptide-'))
  const server = createServer()
  const acceptor = new WebSocketServer({ noServer: true, WebSocket: FeedWebSocket })
  server.listen(join(folder, 'socket'))
  await once(server, 'listening')
  const client = new WebSocket(`ws+unix://${join(folder, 'socket')}:/`)
  t.teardown(() => {
    client.terminate()
    server.close()
    rmSync(folder, { recursive: true })
  })
  const [request, wire, head] = await once(server, 'upgrade')
  const socket = await new Promise<FeedWebSocket>((resolve) => {
    acceptor.handleUpgrade(request, wire, head, resolve)
  })
  await once(client, 'open')
  return { client, socket, wire: wire as Duplex }
}

/** With six megabytes for its client, who does what it does at every frame. */
async function written(t: ExecutionContext, onFrame: (client: WebSocket) => void) {
  const { client, socket, wire } = await bothEnds(t)
  const state = () => ({ epoch: 'e', first: 1, head: 0 })
  const session = new Session({ tier: 'pro', subscriptionsMax: 1, state, expectRoom() {} })
  const timing = { ...TIMING, stallMs: STALL_MS, cutMs: 100 }
  const deps = { socket, wire, session, timing, log: SILENT, random: () => 0 }
  const connection = new Connection(deps as unknown as ConnectionDeps)
  const ticking = setInterval(() => connection.tick(performance.now(), 0), 50)
  t.teardown(() => clearInterval(ticking))
  let frames = 0
  client.on('message', () => {
    frames += 1
    onFrame(client)
  })
  for (let count = 0; count < FRAMES; count++) connection.send(FRAME)
  return { frames: () => frames, isEnded: () => connection.ended.aborted }
}

test('a client that reads slowly is not closed for a write that takes long', async (t) => {
  const startedAt = performance.now()
  const { frames, isEnded } = await written(t, (client) => {
    if (client.isPaused) return
    client.pause()
    setTimeout(() => client.resume(), 100)
  })
  await until('all are read, or it ends', 60_000, () => frames() >= FRAMES || isEnded())
  t.deepEqual([frames() >= FRAMES, isEnded()], [true, false])
  t.true(performance.now() - startedAt > STALL_MS)
})

test('a client that reads nothing is', async (t) => {
  const { frames, isEnded } = await written(t, (client) => client.pause())
  await until('it ends', 60_000, isEnded)
  t.true(frames() < FRAMES)
})
