/** Subscribers of the drill, each a client that a user would run, resumed by its cursor from one end of its API to the next. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { createKey } from '../../api/gateway/keys/keys.ts'
import { createClient } from '../../clients/typescript/client.ts'
import type { Db } from '../../sql/db.ts'
import { decodeFeedBatch, decodeFeedMark } from '../../streams/codec/event-codec.ts'
import { confirmsEnd, feedStreamSubject } from '../../streams/nats/subject.ts'
import { commandEnvironment } from '../support/programs/commands.ts'
import { ROOT } from '../support/sources.ts'
import { type Pipeline, readStream } from '../support/workers/pipeline.ts'

/** `seen`: how often each swap came. */
type Reader = { name: string; seen: Map<string, number>; failure(): unknown }

type ReaderOptions = { port: number; key: string; cursor: string }

/** A swap by its identity. */
export const swapOf = (signature: string, pair: string, ixIndex: number | string): string =>
  `${signature} ${pair} ${ixIndex}`

/** A key without limits that a drill meets. */
export async function keyOf({ db }: { db: Db }): Promise<string> {
  const wanted = { tier: 'enterprise', environment: 'test', account: 'test', by: 'test' } as const
  return (await createKey(db, wanted)).key
}

/** One of each kind at each API, from the cursor on. */
export const openReaders = (
  t: ExecutionContext,
  apis: readonly { port: number; grpcPort: number }[],
  key: string,
  cursor: string,
): Reader[] =>
  apis.flatMap(({ port, grpcPort }) => [
    readWebSocket(t, { port, key, cursor }),
    readGrpc(t, { port: grpcPort, key, cursor }),
  ])

/**
 * Asserts that each swap came to each reader, once, after `boundMs` at most; a failure has the outcome of every reader, the
 * places in FEED of some swaps that are doubled or lost, and what `explained` adds.
 */
export async function assertEachOnce(
  t: ExecutionContext,
  pipeline: Pipeline,
  readers: readonly Reader[],
  expected: ReadonlySet<string>,
  { boundMs, explained }: { boundMs: number; explained: () => string },
): Promise<void> {
  const isWhole = ({ seen }: Reader) => seen.size >= expected.size
  for (let wait = 0; wait < boundMs && !readers.every(isWhole); wait += 100) await pause(100)
  const wrong: string[] = []
  const outcomes = readers.map(({ name, seen, failure }) => {
    const doubled = [...seen].filter(([, times]) => times > 1).map(([swap]) => swap)
    const lost = [...expected].filter((swap) => !seen.has(swap))
    wrong.push(...ends(doubled), ...ends(lost))
    return { name, failed: failure(), doubled: doubled.length, lost: lost.length }
  })
  const positions = wrong.length === 0 ? '' : await positionsInFeed(pipeline, wrong)
  const none = readers.map(({ name }) => ({ name, failed: undefined, doubled: 0, lost: 0 }))
  t.deepEqual(outcomes, none, `${positions}\n${explained()}`)
}

const ends = (swaps: readonly string[]): string[] => [...swaps.slice(0, 2), ...swaps.slice(-2)]

/** Each message of FEED that has one of these swaps: a line with its sequence, subject, time, commit and part. */
async function positionsInFeed(
  { jetStream, topology, prefix }: Pipeline,
  swaps: readonly string[],
): Promise<string> {
  const wanted = new Set(swaps)
  const lines: string[] = []
  for await (const message of readStream(jetStream, topology.feed, feedStreamSubject(prefix))) {
    const { sequence, subject, payload } = message
    if (confirmsEnd(subject)) continue
    const { commitNumber, part } = decodeFeedMark(payload)
    for (const event of decodeFeedBatch(payload)) {
      if (event.kind !== 'swap') continue
      const { signature, pairAddress, ixIndex } = event.swap
      const swap = swapOf(signature, pairAddress, ixIndex)
      if (!wanted.has(swap)) continue
      const at = new Date(message.storedMs()).toISOString()
      lines.push(`${swap}: ${sequence} ${subject}, ${at}, commit ${commitNumber}.${part}`)
    }
  }
  return lines.sort().join('\n')
}

/** By the client of clients/typescript. */
function readWebSocket(t: ExecutionContext, options: ReaderOptions): Reader {
  const { port, key, cursor } = options
  const seen = new Map<string, number>()
  let failure: unknown
  const client = createClient({ url: `http://127.0.0.1:${port}`, key })
  const feed = client.feed({ channel: 'swaps', from: { cursor } })
  const reading = (async () => {
    for await (const swap of feed) {
      if ('slots' in swap) continue
      count(seen, swapOf(swap.signature, swap.pair_address, swap.ix_index))
    }
  })().catch((error) => {
    failure = error
  })
  t.teardown(async () => {
    await feed.return?.()
    await reading
  })
  return { name: 'WebSocket', seen, failure: () => failure }
}

/** By the program of examples/. */
function readGrpc(t: ExecutionContext, { port, key, cursor }: ReaderOptions): Reader {
  const seen = new Map<string, number>()
  let failure: unknown
  const program = join(ROOT, 'examples/grpc-client.ts')
  const argv = [program, `127.0.0.1:${port}`, key, '{}', cursor]
  const child = spawn(process.execPath, argv, { env: commandEnvironment({}), stdio: 'pipe' })
  let said = ''
  child.stderr.on('data', (text) => {
    said = `${said}${text}`.slice(-2_000)
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { signature, pair_address: pair, ix_index: ixIndex } = JSON.parse(line)
    count(seen, swapOf(signature, pair, ixIndex))
  })
  const ended = new Promise<void>((resolve) =>
    child.once('close', (code) => {
      failure = `the client ended with ${code}: ${said}`
      resolve()
    }),
  )
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { name: 'gRPC', seen, failure: () => failure }
}

function count(seen: Map<string, number>, position: string): void {
  seen.set(position, (seen.get(position) ?? 0) + 1)
}
