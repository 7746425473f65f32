/** The example client after its output was closed: it ends, and prints the cursor after which no event was printed, as usual. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { SWAP } from '../support/events/sample-event.ts'
import { feedSwaps, streamUnderTest } from '../support/programs/swap-stream.ts'

/** A client whose reader has seen enough with the first line. */
async function endedByReader(t: ExecutionContext, program: string, args: readonly string[]) {
  const path = join(import.meta.dirname, '../../examples', program)
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  const said: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line))
  child.stdout.once('data', () => child.stdout.destroy())
  const closed = once(child, 'close')
  return { said, closed, hasEnded: () => child.exitCode !== null }
}

test('the gRPC client prints its cursor after its output was closed', async (t) => {
  const { server, pipeline, key } = await streamUnderTest(t)
  const { key: text } = await key('enterprise')
  const { epoch } = pipeline.topology.feed
  const args = [`127.0.0.1:${server.port}`, text, '{}', `${epoch}-0`]
  const { said, closed, hasEnded } = await endedByReader(t, 'grpc-client.ts', args)
  for (let slot = 1; !hasEnded() && slot < 20_000; slot++)
    await feedSwaps(pipeline, [[{ ...SWAP, slot }]])
  t.deepEqual(await closed, [0, null])
  t.is(said.length, 1, said.join('\n'))
  t.regex(said[0] ?? '', new RegExp(`^${epoch}-\\d`))
})
