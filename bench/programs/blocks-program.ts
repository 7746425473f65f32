/**
 * A source of chain data as a program of the benchmark. It encodes blocks of the simulated chain ahead, which is not the
 * source's work, and plays them at their time: each is read from the text of a node's response, decoded, stored by its hash
 * and published, with coverage and a heartbeat, as `swaptide source` does.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { DECODER_VERSION } from '../../chain/decoder/version.ts'
import { encodeBlock } from '../../chain/encode-block.ts'
import { slotsOf } from '../../chain/encode-slots.ts'
import { batchesOf, countSlot, decodeSlot, noChainCounts } from '../../chain/sources/batch.ts'
import { readBlockResult } from '../../chain/sources/blocks/block-answer.ts'
import type { ChainSource } from '../../chain/sources/reader.ts'
import { Heartbeat } from '../../deploy/chain/heartbeat.ts'
import { PublishedBlocks } from '../../deploy/chain/published-blocks.ts'
import { connectChain, runChain } from '../../deploy/chain/run.ts'
import { createLog } from '../../deploy/log.ts'
import type { Installation } from '../../deploy/processes/installation.ts'
import { ALL_VENUE_BITS } from '../../domain/coverage.ts'
import { sumOfEvents } from '../../domain/events/event.ts'
import { MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { simulate } from '../../streams/simulator/simulate.ts'
import type { ChainTime, SourceBatch } from '../../streams/sources/source.ts'
import { sharedClockMs } from '../measure/sample.ts'
import { programOptions, sendToStarter, untilStopRequested } from './program.ts'

export type BlocksMessage =
  | { kind: 'ready' }
  | { kind: 'encoded' }
  /** A block at the moment at which a node would have it; `signature`: of its last swap. */
  | { kind: 'block'; slot: number; events: number; swaps: number; signature: string; atMs: number }
  /** All blocks were handed over, the last one at `lastMs`; events and swaps are those since the program's start. */
  | { kind: 'played'; events: number; swaps: number; lastMs: number }
/** `blockMs`: between two blocks; 0: as fast as they are read. */
export type BlocksOrder = { kind: 'encode'; blocks: number } | { kind: 'play'; blockMs: number }
export type BlocksGiven = Installation & { swapsPerSlot: number }

type Encoded = { slot: number; text: Buffer }

const NEVER = new AbortController().signal
/** Blocks come before the clock, however fast they are played. */
const BEFORE_NOW_MS = 20 * MINUTE_MS

const { swapsPerSlot, ...installation } = programOptions<BlocksGiven>()
const log = createLog({
  level: 'warn',
  isTerminal: false,
  write: (line) => void process.stderr.write(line),
})
const market = slotsOf(
  simulate({ seed: 48, swaps: Infinity, fromMs: Date.now() - BEFORE_NOW_MS, swapsPerSlot }),
)
const counts = noChainCounts()
let encoded: Encoded[] = []
let ordered = Promise.withResolvers<{ blockMs: number; fromMs: number }>()

const servers = await connectChain(installation, log, 'bench source')
const key = {
  venues: ALL_VENUE_BITS,
  decoderVersion: DECODER_VERSION,
  source: 'bench',
  commitment: 'confirmed',
}
const heartbeat = new Heartbeat(servers.db, log, { key, endpoint: 'bench' })
await heartbeat.begin()
const blocks = await PublishedBlocks.load(servers.db, undefined, false)
const source: ChainSource = { isLive: true, counts, newestSlot: 0, open: () => played() }
const running = runChain(
  source,
  {
    ...{ key, heartbeat, blocks, signal: NEVER },
    progress: { say: (line) => log.warn({ line }, 'source reported') },
    onProgress: () => {},
  },
  servers,
)
running.catch((error) => {
  console.error(error)
  process.exit(1)
})

process.on('message', (message: BlocksOrder) => {
  if (message.kind === 'encode') encode(message.blocks)
  else ordered.resolve({ blockMs: message.blockMs, fromMs: sharedClockMs() })
})
sendToStarter<BlocksMessage>({ kind: 'ready' })
await untilStopRequested()
await heartbeat.end()
process.exit(0)

function encode(count: number): void {
  encoded = []
  while (encoded.length < count) {
    const { value } = market.next()
    if (value === undefined) throw new Error('the market ended')
    encoded.push({ slot: value.slot, text: Buffer.from(JSON.stringify(encodeBlock(value))) })
  }
  sendToStarter<BlocksMessage>({ kind: 'encoded' })
}

/** The batches of all orders, until the program is to end. */
async function* played(): AsyncGenerator<SourceBatch> {
  let newest: ChainTime | undefined
  for (;;) {
    const { blockMs, fromMs } = await ordered.promise
    ordered = Promise.withResolvers()
    let dueMs = fromMs
    for (const [at, { slot, text }] of encoded.entries()) {
      dueMs = blockMs === 0 ? sharedClockMs() : fromMs + at * blockMs
      const leftMs = dueMs - sharedClockMs()
      if (leftMs > 0) await pause(leftMs)
      for (const batch of read(slot, text, newest, dueMs)) {
        newest = batch.newest
        yield batch
      }
    }
    sendToStarter<BlocksMessage>({
      kind: 'played',
      events: sumOfEvents(counts),
      swaps: counts.swaps,
      lastMs: dueMs,
    })
  }
}

function read(
  slot: number,
  text: Buffer,
  newest: ChainTime | undefined,
  atMs: number,
): SourceBatch[] {
  const block = readBlockResult(JSON.parse(text.toString()), slot)
  const decoded = decodeSlot(block, undefined)
  countSlot(counts, decoded)
  const events = decoded?.events ?? []
  const swaps = events.filter((event) => event.kind === 'swap')
  const signature = swaps.at(-1)?.swap.signature
  if (signature !== undefined) {
    const counted = { events: events.length, swaps: swaps.length }
    sendToStarter<BlocksMessage>({ kind: 'block', slot, ...counted, signature, atMs })
  }
  return batchesOf(block, decoded, newest)
}
