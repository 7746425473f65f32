/**
 * The example client against a server that is killed and started again while swaps flow: its output is the filtered
 * FEED, each swap once; and it ends by itself where a retry is of no use.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { poolOf, SWAP } from '../support/events/sample-event.ts'
import { feedSwaps, type StreamSource, streamUnderTest } from '../support/programs/swap-stream.ts'
import { ownPort } from '../support/servers/own-port.ts'
import { until } from '../support/workers/pipeline.ts'

const PROGRAM = join(import.meta.dirname, '../support/programs/swap-stream-program.ts')
const CLIENT = join(import.meta.dirname, '../../examples/grpc-client.ts')
const KILLS = 3

function start(t: ExecutionContext, args: readonly string[]): ChildProcess & { said: string[] } {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  const said: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line))
  return Object.assign(child, { said })
}

async function startServer(t: ExecutionContext, source: StreamSource) {
  const child = start(t, [PROGRAM, JSON.stringify(source)])
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return { child, port: Number(line.toString()) }
}

test('the example client prints each swap once while its server is killed again and again', async (t) => {
  const { pipeline, source, key } = await streamUnderTest(t)
  // A port that no outgoing connection uses while no server listens on it.
  const port = await ownPort()
  let server = await startServer(t, { ...source, port })
  const { key: text } = await key('enterprise')
  const filter = JSON.stringify({ swap_type: 'buy' })
  const cursor = `${pipeline.topology.feed.epoch}-0`
  const client = start(t, [CLIENT, `127.0.0.1:${port}`, text, filter, cursor])
  const printed: string[] = []
  createInterface({ input: client.stdout as NodeJS.ReadableStream }).on('line', (line) =>
    printed.push((JSON.parse(line) as { slot: string }).slot),
  )
  const expected: string[] = []
  for (let round = 0; round <= KILLS; round++) {
    const swaps = Array.from({ length: 200 }, (_, index) => {
      const slot = round * 200 + index + 1
      return { ...SWAP, slot, isBuy: slot % 2 === 0, user: poolOf(slot % 9) }
    })
    // One after the other, so that FEED has them in the order of their slots.
    for (let at = 0; at < swaps.length; at += 5)
      await feedSwaps(pipeline, [swaps.slice(at, at + 5)])
    expected.push(...swaps.filter(({ isBuy }) => isBuy).map(({ slot }) => `${slot}`))
    if (round === KILLS) break
    await until('it goes on', 60_000, () => printed.length > round * 100)
    server.child.kill('SIGKILL')
    await once(server.child, 'exit')
    server = await startServer(t, { ...source, port })
  }
  await until('all is printed', 60_000, () => printed.length >= expected.length)
  t.deepEqual(printed, expected)
  client.kill('SIGINT')
  t.deepEqual(await once(client, 'close'), [0, null])
  t.regex(client.said.at(-1) ?? '', new RegExp(`^${pipeline.topology.feed.epoch}-\\d+$`))
})

test('it ends where the same would come again', async (t) => {
  const { server, key } = await streamUnderTest(t)
  const target = `127.0.0.1:${server.port}`
  const { key: text } = await key()
  const cases: [string[], RegExp][] = [
    [['nonsense'], /^UNAUTHENTICATED: /],
    [[text, '{"venues":["raydium"]}'], /^INVALID_ARGUMENT: /],
    [[text, '{}', 'another-5'], /^OUT_OF_RANGE: /],
  ]
  for (const [args, line] of cases) {
    const client = start(t, [CLIENT, target, ...args])
    t.deepEqual(await once(client, 'close'), [1, null])
    t.regex(client.said[0] ?? '', line)
  }
})
