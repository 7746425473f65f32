/**
 * The example client against an API process that is killed and restarted while events flow: its output is the filtered
 * FEED, each event once.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { writeEvent } from '../../api/feed/websocket/protocol/present.ts'
import { createKey } from '../../api/gateway/keys/keys.ts'
import type { FeedEvent } from '../../streams/codec/event-codec.ts'
import { eventsOf } from '../support/feed/feed-api.ts'
import { writeFeed } from '../support/feed/written-feed.ts'
import { startChild, startFeedServer } from '../support/programs/feed-server.ts'
import { ownPort } from '../support/servers/own-port.ts'
import { openPipeline, until } from '../support/workers/pipeline.ts'

const CLIENT = join(import.meta.dirname, '../../examples/websocket-client.ts')
const KILLS = 4
/** Numbers of events that are written for each life of the server: FEED holds all of them in the end. */
const WRITTEN_A_LIFE = 18_000

test('the example client prints each event once while the API is killed again and again', async (t) => {
  const pipeline = await openPipeline(t)
  const wanted = { tier: 'enterprise', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(pipeline.db, wanted)
  // A port that no outgoing connection uses while no server listens on it.
  const port = await ownPort()
  let server = await startFeedServer(t, pipeline, { port })
  const filter = { venues: ['venue_1', 'venue_4', 'venue_7'] }
  const cursor = `${pipeline.topology.feed.epoch}-0`
  const url = `ws://127.0.0.1:${port}/ws/v1`
  const client = startChild(t, [CLIENT, url, key, JSON.stringify(filter), cursor])
  const printed: string[] = []
  const said: string[] = []
  createInterface({ input: client.stdout as NodeJS.ReadableStream }).on('line', (line) =>
    printed.push(line),
  )
  createInterface({ input: client.stderr as NodeJS.ReadableStream }).on('line', (line) =>
    said.push(line),
  )
  let written = 0
  let allowed = 0
  let isWriting = true
  const writing = (async () => {
    while (isWriting) {
      if (written < allowed) {
        await writeFeed(pipeline, written, 3, written % 1_000 === 0 ? 200 : 10)
        written += 600
      }
      await pause(20)
    }
  })()
  for (let kill = 0; kill < KILLS; kill++) {
    const had = printed.length
    allowed += WRITTEN_A_LIFE
    await until('events come', 60_000, () => printed.length > had + 200).catch((cause: Error) => {
      isWriting = false
      throw new Error(`${cause.message}; the client said:\n${said.slice(-20).join('\n')}`, {
        cause,
      })
    })
    // The last time it is signalled, and sends a goodbye.
    server.child.kill(kill === KILLS - 1 ? 'SIGTERM' : 'SIGKILL')
    await once(server.child, 'exit')
    server = await startFeedServer(t, pipeline, { port })
  }
  isWriting = false
  await writing
  const passes = (event: FeedEvent) =>
    event.kind === 'swap' && filter.venues.includes(`venue_${event.swap.dex}`)
  const expected = (await eventsOf(pipeline, passes)).map((event) => writeEvent(event, 'string'))
  await until('all are printed', 60_000, () => printed.length >= expected.length)
  client.kill('SIGTERM')
  await once(client, 'close')
  t.is(printed.length, expected.length)
  t.deepEqual(printed, expected)
  t.true(
    said.some((line) => line.startsWith('the server restarts')),
    said.join('\n'),
  )
  t.true((said.at(-1) ?? '').startsWith(pipeline.topology.feed.epoch))
})
