/**
 * The bounds of SwapStream: streams of a key over processes, the buffer of a stopped reader, and the end of calls with
 * their server.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { poolOf, SWAP } from '../../../support/events/sample-event.ts'
import {
  feedSwaps,
  runSwapStream,
  type StreamedSwap,
  type StreamSource,
  type SwapStreamClient,
  streamUnderTest,
  subscribe,
} from '../../../support/programs/swap-stream.ts'
import { until } from '../../../support/workers/pipeline.ts'

const PROGRAM = join(import.meta.dirname, '../../../support/programs/swap-stream-program.ts')

/** A server in a process of its own, killed with the test at the latest. */
async function spawnServer(t: ExecutionContext, source: StreamSource) {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(source)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
  const kill = async (): Promise<void> => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    child.kill('SIGKILL')
    if (!hasEnded) await once(child, 'exit')
  }
  t.teardown(kill)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { port: Number(line.toString()), pid: child.pid ?? 0, lines, kill }
}

/** Bytes of a process in memory. */
function residentBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return 1_024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1])
}

async function isRunning({ answers, end }: ReturnType<typeof subscribe>): Promise<void> {
  await until('it is subscribed', 60_000, () => answers.length > 0 || end() !== undefined)
  if (answers.length === 0) throw new Error(`refused: ${end()?.code} ${end()?.details}`)
}

test.serial('frees the stream slots of a killed server within 45 seconds', async (t) => {
  const { redis, source, client, key } = await streamUnderTest(t)
  const other = await spawnServer(t, source)
  const { key: text } = await key('free')
  await isRunning(subscribe(client(other.port), text))
  await other.kill()
  const [name] = await redis.keys('*')
  const [member, endsAt] = await redis.zrange(name ?? '', 0, '-1', 'WITHSCORES')
  const [seconds, micros] = await redis.time()
  const leftMs = Number(endsAt) - Number(seconds) * 1_000 - Number(micros) / 1_000
  t.true(leftMs > 0 && leftMs <= 45_000, `${leftMs}`)
  const refused = await subscribe(client(), text).ended
  t.is(refused.code, status.RESOURCE_EXHAUSTED)
  t.is(refused.details, 'tier "free" allows 1 concurrent stream: close one or upgrade')
  // Set to a time that is over.
  await redis.zadd(name ?? '', Number(seconds) * 1_000, member ?? '')
  await until('its place is free', 60_000, () => startsOne(client, text))
})

test.serial(
  'the cap of a key holds over two processes; the streams of a killed one are free after its lease',
  async (t) => {
    // A loaded machine renews in time.
    const leases = { leaseMs: 12_000, renewEveryMs: 300 }
    const { source, client, key } = await streamUnderTest(t, leases)
    const other = await spawnServer(t, source)
    const { key: text } = await key('developer')
    const here = Array.from({ length: 5 }, () => subscribe(client(), text))
    const there = Array.from({ length: 5 }, () => subscribe(client(other.port), text))
    for (const each of [...here, ...there]) await isRunning(each)
    for (const port of [undefined, other.port]) {
      const refused = await subscribe(client(port), text).ended
      t.is(refused.code, status.RESOURCE_EXHAUSTED)
      t.regex(refused.details, /^tier "developer" allows 10 concurrent streams: /)
    }
    // Another key's streams are not counted, and one that ends makes room.
    await isRunning(subscribe(client(), (await key('developer')).key))
    here[0]?.call.cancel()
    await until('room for one', 60_000, () => startsOne(client, text))
    await other.kill()
    await until('room for those of the dead', 60_000, () => startsOne(client, text))
  },
)

/** Whether one more stream is let in. */
async function startsOne(client: () => SwapStreamClient, key: string): Promise<boolean> {
  const one = subscribe(client(), key)
  await until('let in or refused', 60_000, () => one.answers.length > 0 || one.end() !== undefined)
  return one.end() === undefined
}

/** Some 400 bytes each. */
function manySwaps(from: number, count: number) {
  return Array.from({ length: count }, (_, index) => ({
    ...SWAP,
    slot: from + index,
    user: poolOf(from + index),
  }))
}

const inTwenties = (swaps: ReturnType<typeof manySwaps>) =>
  Array.from({ length: swaps.length / 20 }, (_, at) => swaps.slice(at * 20, at * 20 + 20))

test.serial(
  '500 stopped readers cost bounded memory, are closed with their cursor, and miss no swap',
  async (t) => {
    const { pipeline, source, client, key } = await streamUnderTest(t)
    // The last of them is read long after it was sent away.
    const times = { slowMs: 8_000, endMs: 600_000 }
    const server = await spawnServer(t, { ...source, times, ringBytesMax: 1_000_000 })
    const { key: text } = await key('enterprise')
    const stopped = Array.from({ length: 500 }, () => subscribe(client(server.port), text))
    for (const each of stopped) await isRunning(each)
    for (const { call } of stopped) call.pause()
    const read: StreamedSwap[] = []
    let returns = 0
    /** Resumes by its cursor, also after a stall of a loaded machine. */
    const readOn = (cursor?: string) => {
      const one = subscribe(client(server.port), text, cursor === undefined ? {} : { cursor })
      one.call.on('data', ({ swaps }) => read.push(...(swaps?.swaps ?? [])))
      void one.ended.then(({ code }) => {
        if (code !== status.ABORTED) return
        returns++
        readOn(one.cursor())
      })
      return one
    }
    await isRunning(readOn())
    const before = residentBytes(server.pid)
    let greatest = before
    const total = 8_000
    for (let from = 1; from <= total; from += 2_000) {
      await feedSwaps(pipeline, inTwenties(manySwaps(from, 2_000)))
      await until('the other one reads on', 90_000, () => read.length >= from + 1_999)
      greatest = Math.max(greatest, residentBytes(server.pid))
    }
    // Without bounds 3 MB each would be buffered: 1,600 MB.
    const grown = greatest - before
    t.log(`${Math.round(grown / 1e6)} MB more in the server with 500 stopped readers`)
    t.true(grown < 600e6, `${grown} bytes`)
    const sentAway = () => server.lines.filter((line) => line.includes('"ABORTED"'))
    await until('all are sent away', 90_000, () => sentAway().length === stopped.length + returns)
    // Reads the rest of one of them, and then the status. With this status the library may drop messages that it has not
    // handed over: the cursor of the last one it has is the one to resume from.
    const [first] = stopped
    if (first === undefined) throw new Error('there are 500')
    first.call.resume()
    const ended = await first.ended
    t.is(ended.code, status.ABORTED)
    const sent = sequenceIn(String(ended.metadata.get('x-swaptide-cursor')[0]))
    t.true(sent >= sequenceIn(first.cursor()), `${sent} before ${first.cursor()}`)
    const rest = subscribe(client(server.port), text, { cursor: first.cursor() })
    await until('the rest', 60_000, () => first.swaps.length + rest.swaps.length >= total)
    const slots = [...first.swaps, ...rest.swaps].map(({ slot }) => slot)
    t.deepEqual(
      slots,
      read.map(({ slot }) => slot),
    )
  },
)

test.serial('a stopping server sends every stream its cursor and accepts no more', async (t) => {
  const { pipeline, source, client, key } = await streamUnderTest(t)
  const second = await runSwapStream(source, pipeline.recording.log)
  const { key: text } = await key('pro')
  const running = Array.from({ length: 3 }, () => subscribe(client(second.port), text))
  for (const each of running) await isRunning(each)
  await feedSwaps(pipeline, [manySwaps(1, 5)])
  for (const { swaps } of running) await until('the swaps', 60_000, () => swaps.length === 5)
  const stopped = second.stop()
  for (const { ended, cursor } of running) {
    const { code, metadata } = await ended
    t.is(code, status.UNAVAILABLE)
    t.deepEqual(metadata.get('x-swaptide-cursor'), [cursor() ?? ''])
  }
  await stopped
  const [one] = running
  const rest = subscribe(client(), text, { cursor: one?.cursor() })
  await isRunning(rest)
  await feedSwaps(pipeline, [manySwaps(6, 5)])
  await until('the rest', 60_000, () => rest.swaps.length === 5)
  t.is(rest.swaps[0]?.slot, '6')
})

const sequenceIn = (cursor = ''): number => Number(cursor.slice(cursor.lastIndexOf('-') + 1))

test.serial(
  'a stream that ends while it reads the past sends no swap after the cursor that it reports',
  async (t) => {
    const { pipeline, source, client, key } = await streamUnderTest(t)
    // Few that it wants among many, so that it waits for the stream rather than for its client.
    const wanted = poolOf(1)
    const swaps = manySwaps(1, 16_000).map((swap, index) =>
      index % 8 === 0 ? { ...swap, tokenAddress: wanted } : swap,
    )
    await feedSwaps(
      pipeline,
      swaps.map((swap) => [swap]),
    )
    const { log } = pipeline.recording
    const second = await runSwapStream({ ...source, ringBytesMax: 50_000 }, log)
    const { key: text } = await key('pro')
    const cursor = `${pipeline.topology.feed.epoch}-0`
    const request = { cursor, max_batch: 1, filter: { tokens: [wanted] } }
    const reading = Array.from({ length: 6 }, () => subscribe(client(second.port), text, request))
    await until('some swaps', 60_000, () => reading.every(({ swaps }) => swaps.length > 0))
    const stopped = second.stop()
    for (const { ended, cursor: last, swaps: had } of reading) {
      const { metadata } = await ended
      const reported = sequenceIn(String(metadata.get('x-swaptide-cursor')[0]))
      t.true(reported >= sequenceIn(last()), `${reported} before ${last()}`)
      // All up to the last one that was read came: every eighth, from the first on.
      t.is(had.length, Math.ceil(sequenceIn(last()) / 8))
    }
    t.true(
      reading.some(({ swaps: had }) => had.length < 2_000),
      'some were on their way',
    )
    await stopped
  },
)

test.serial('a disconnected client releases its stream slot', async (t) => {
  const { redis, client, key } = await streamUnderTest(t)
  const { key: text } = await key('free')
  for (let count = 0; count < 8; count++) {
    const only = subscribe(client(), text)
    await until('let in', 60_000, () => only.answers.length > 0 || only.end() !== undefined)
    t.is(only.end(), undefined, `stream ${count}`)
    only.call.cancel()
    await until('its place is free', 60_000, async () => (await redis.dbsize()) === 0)
  }
})
