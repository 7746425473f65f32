/**
 * The example client after refusals: it prints its usage, sends no filter that the proto lacks, and otherwise
 * reconnects until it is signalled.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startChild } from '../support/programs/feed-server.ts'
import { ownPort } from '../support/servers/own-port.ts'
import { until } from '../support/workers/pipeline.ts'

const CLIENT = join(import.meta.dirname, '../../examples/grpc-client.ts')

function start(t: ExecutionContext, args: readonly string[]) {
  const child = startChild(t, [CLIENT, ...args])
  const said: string[] = []
  child.stderr?.on('data', (part) => said.push(...String(part).trimEnd().split('\n')))
  return { child, said }
}

test('prints the usage where the client is called with missing or invalid arguments', async (t) => {
  const cases: string[][] = [[], ['127.0.0.1:1', 'key', '{venues}'], ['127.0.0.1:1', 'key', '[]']]
  for (const args of cases) {
    const { child, said } = start(t, args)
    t.deepEqual(await once(child, 'close'), [1, null])
    t.is(said.length, 1, said.join('\n'))
    t.regex(said[0] ?? '', /^usage: /)
  }
})

test('a filter that the proto does not know, or not so, is not sent by the gRPC client', async (t) => {
  const cases: [string, RegExp][] = [
    ['{"venue":["venue_1"]}', /^filter "venue": use some of tokens /],
    ['{"venues":"venue_1"}', /^filter: .*venues: array expected$/],
  ]
  for (const [filter, line] of cases) {
    const { child, said } = start(t, ['127.0.0.1:1', 'key', filter])
    t.deepEqual(await once(child, 'close'), [1, null])
    t.is(said.length, 1, said.join('\n'))
    t.regex(said[0] ?? '', line)
  }
})

test('a client that waits for a reconnect ends on a signal', async (t) => {
  const port = await ownPort()
  const { child, said } = start(t, [`127.0.0.1:${port}`, 'key', '{}', 'epoch-5'])
  await until('it has failed some times', 60_000, () => said.length >= 4)
  child.kill('SIGINT')
  t.deepEqual(await once(child, 'close'), [0, null])
  t.is(said.at(-1), 'epoch-5')
})
