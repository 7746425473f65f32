/**
 * The API killed under load, again and again: clients of both feeds that go on by their cursors have the log
 * in the end, each swap once, in order.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { eventsOf } from '../../support/feed/feed-api.ts'
import { FeedClient } from '../../support/feed/feed-client.ts'
import { writeFeed } from '../../support/feed/written-feed.ts'
import { openClient, subscribe } from '../../support/programs/swap-stream.ts'
import { ownPort } from '../../support/servers/own-port.ts'
import { testServers } from '../../support/servers/servers.ts'
import { openPipeline, type Pipeline, until } from '../../support/workers/pipeline.ts'

const PROGRAM = join(import.meta.dirname, '../../support/programs/feed-program.ts')
const CLIENTS = 5
const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const
/** Slots, one an event, that are written beyond those of the slowest client: during a slow restart too, some are left to read. */
const AHEAD_MAX = 5_000
const RETRY_MS = 100

type Ports = { port: number; grpcPort: number }

async function startServer(t: ExecutionContext, pipeline: Pipeline, { port, grpcPort }: Ports) {
  const { databaseUrl, natsUrl, prefix, laneCount } = pipeline
  const { redisUrl } = testServers()
  const options = { databaseUrl, natsUrl, redisUrl, prefix, laneCount, port, grpcPort }
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const [first = 0, second = 0] = line.toString().split(' ').map(Number)
  return { child, port: first, grpcPort: second }
}

/** The events of a client, and whether it continues. */
type Client = { slots: number[]; cursor: string; isGoing: boolean; connections: number }

/** Connects again whenever it is cut, from its newest cursor. */
async function keepOn(client: Client, connect: () => Promise<unknown>): Promise<void> {
  while (client.isGoing) {
    await connect()
    client.connections++
    await pause(RETRY_MS)
  }
}

function overWebSocket(t: ExecutionContext, client: Client, url: string): Promise<void> {
  return keepOn(client, async () => {
    const { cursor } = client
    const feed = new FeedClient(url)
    feed.socket.on('message', () => {
      const frame = feed.frames.pop()
      if (frame?.type === 'welcome') {
        feed.send({ op: 'subscribe', sub: 'a', channel: 'swaps', from: { cursor } })
      } else if (frame?.type === 'data') {
        client.slots.push(...(frame.data as { slot: number }[]).map(({ slot }) => slot))
        client.cursor = frame.cursor as string
        if (!client.isGoing) feed.socket.terminate()
      }
    })
    await new Promise((resolve) => feed.socket.once('close', resolve))
    t.deepEqual(feed.errors, [])
  })
}

function overGrpc(client: Client, key: string, port: number): Promise<void> {
  return keepOn(client, async () => {
    const { cursor } = client
    const channel = openClient(`127.0.0.1:${port}`)
    const subscribed = subscribe(channel, key, { cursor })
    subscribed.call.on('data', (answer) => {
      client.slots.push(
        ...(answer.swaps?.swaps ?? []).map(({ slot }: { slot: string }) => Number(slot)),
      )
      client.cursor = answer.cursor
      if (!client.isGoing) subscribed.call.cancel()
    })
    await subscribed.ended
    channel.close()
  })
}

test('clients of an API killed under load lose only time', async (t) => {
  const pipeline = await openPipeline(t)
  const wanted = { tier: 'enterprise', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(pipeline.db, wanted)
  // Ports that no outgoing connection uses while no server listens on them.
  const [port, grpcPort] = [await ownPort(), await ownPort()]
  let server: Ports & { child: ChildProcess } = await startServer(t, pipeline, { port, grpcPort })
  const clients = Array.from({ length: 2 * CLIENTS }, (): Client => {
    const cursor = `${pipeline.topology.feed.epoch}-0`
    return { slots: [], cursor, isGoing: true, connections: 0 }
  })
  const url = `ws://127.0.0.1:${port}/ws/v1?api_key=${key}`
  const running = clients.map((client, index) =>
    index < CLIENTS ? overWebSocket(t, client, url) : overGrpc(client, key, grpcPort),
  )
  let written = 0
  let isWriting = true
  const writing = (async () => {
    for (; isWriting; await pause(10)) {
      if (written - Math.min(...clients.map(({ slots }) => slots.at(-1) ?? 0)) > AHEAD_MAX) continue
      await writeFeed(pipeline, written, 3, 20)
      written += 60
    }
  })()
  for (const signal of SIGNALS) {
    const had = clients.map(({ slots }) => slots.length)
    await until('swaps come to all', 60_000, () =>
      clients.every(({ slots }, index) => slots.length > (had[index] ?? 0) + 100),
    )
    server.child.kill(signal)
    await once(server.child, 'exit')
    server = await startServer(t, pipeline, { port, grpcPort })
  }
  isWriting = false
  await writing
  const events = await eventsOf(pipeline, ({ kind }) => kind === 'swap')
  const expected = events.map((event) => (event.kind === 'swap' ? event.swap.slot : 0))
  await until('all have all', 60_000, () =>
    clients.every(({ slots }) => slots.length >= expected.length),
  )
  for (const client of clients) client.isGoing = false
  server.child.kill('SIGTERM')
  await Promise.all(running)
  for (const { slots, connections } of clients) {
    t.deepEqual(slots, expected)
    t.true(connections > SIGNALS.length)
  }
})
