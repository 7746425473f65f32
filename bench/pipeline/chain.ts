/**
 * Chain data, without servers of the stack: the decoder over the recorded block from JSON and from Yellowstone messages,
 * beside solana-dex-parser where that is installed, and a backfill from a JSON-RPC node on this machine. Without the
 * data folder beside the project there is no recorded block, and no figure.
 */
import { gunzipSync } from 'node:zlib'
import { decodeBlock } from '../../chain/decode.ts'
import { readRpcBlock } from '../../chain/forms/rpc.ts'
import { FrameReader, frameOf } from '../../chain/sources/geyser/frames.ts'
import { readUpdate } from '../../chain/sources/geyser/update.ts'
import type { ChainTransaction } from '../../chain/transaction/transaction.ts'
import { VENUES } from '../../domain/venue.ts'
import { expectEqual, type Sample } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import type { ChainMessage, ChainRequest } from '../programs/chain-program.ts'
import { BENCH_FLAGS } from '../programs/node-flags.ts'
import { startProgram } from '../programs/program.ts'
import { asGeyser, encodeUpdate, readChainFile } from '../test-support.ts'

type Json = Record<string, unknown>

const PARSED = 'recorded block of 557 transactions: decoder, JSON parsed'
const JSON_TEXT = 'the same: text to events'
const GEYSER = 'the same: Yellowstone messages of its 252 transactions with a venue'
const LIVE = 'live over gRPC with all statuses, 4 blocks/s'
const PEER = 'the same: solana-dex-parser, JSON parsed'
const RATIO = 'solana-dex-parser / decoder'
const BACKFILL = 'backfill from a local node'
const BACKFILL_GZIP = 'backfill from a local node, gzip'

const SLOT = 285_000_037
const SWAPS = 133
const BLOCKS_A_SECOND = 4
const WARM_UP = 100
const DECODED_BLOCKS = 200
const PEER_BLOCKS = 5
const FETCHED_BLOCKS = 600
/** A backfill is long: a short run measures compiling. */
const WARM_UP_BLOCKS = 200
const BACKFILL_BOUND_MS = 600_000
const LIVE_BLOCKS = 60
/** A live stream is followed for days: its code is warm. */
const LIVE_WARM_UP_BLOCKS = 60
/** The source holds a slot until later ones came. */
const TAIL_BLOCKS = 40
const CHUNK_BYTES = 64 * 1024
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024

export const chain: Measurement = {
  name: 'chain',
  needsStack: false,
  figures: [
    { figure: PARSED, unit: 'ms CPU', digits: 2 },
    { figure: JSON_TEXT, unit: 'ms CPU', digits: 2 },
    { figure: GEYSER, unit: 'ms CPU', digits: 2 },
    { figure: LIVE, unit: '% of a core', goal: '<= 5', digits: 1 },
    { figure: PEER, unit: 'ms CPU' },
    { figure: RATIO, unit: '', goal: '>= 50', digits: 1 },
    { figure: BACKFILL, unit: 'blocks/s a core', goal: '>= 100' },
    { figure: BACKFILL_GZIP, unit: 'blocks/s a core' },
  ],
  async round() {
    const text = gunzipSync(readChainFile('block_285000037.json.gz')).toString('utf8')
    const block = JSON.parse(text) as { transactions: Json[]; blockTime: number }
    const fromParsed = cpuMs(DECODED_BLOCKS, () => decodeParsed(block))
    const geyser = geyserMs(block)
    return [
      { figure: PARSED, value: fromParsed },
      { figure: JSON_TEXT, value: cpuMs(DECODED_BLOCKS / 4, () => decodeParsed(JSON.parse(text))) },
      { figure: GEYSER, value: geyser },
      { figure: LIVE, value: await live() },
      ...(await peerSamples(block, fromParsed)),
      { figure: BACKFILL, value: await backfill(false) },
      { figure: BACKFILL_GZIP, value: await backfill(true) },
    ]
  },
}

/** Milliseconds of CPU a run of this process, its collector and compiler included. */
function cpuMs(runs: number, run: () => void): number {
  for (let count = 0; count < Math.min(runs, WARM_UP); count++) run()
  const begun = process.cpuUsage()
  for (let count = 0; count < runs; count++) run()
  return millis(process.cpuUsage(begun)) / runs
}

const millis = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000

function decodeParsed(block: unknown): void {
  const read = readRpcBlock(block, SLOT)
  expectEqual('swaps', read === undefined ? 0 : decodeBlock(read).events.length, SWAPS)
}

/** From the bytes of the stream to events: only transactions that pass the filter of the subscription. */
function geyserMs(block: { transactions: Json[]; blockTime: number }): number {
  const messages = block.transactions.flatMap((each, index) => {
    const read = readRpcBlock({ ...block, transactions: [each] }, SLOT)
    const [transaction] = read?.transactions ?? []
    if (transaction === undefined || transaction.hasFailed || !namesVenue(each)) return []
    const update = { slot: String(SLOT), transaction: asGeyser(each, index) }
    return [frameOf(encodeUpdate({ filters: ['w'], transaction: update }))]
  })
  const stream = Buffer.concat(messages)
  return cpuMs(DECODED_BLOCKS, () => {
    const transactions: ChainTransaction[] = []
    const frames = new FrameReader(MESSAGE_BYTES_MAX)
    for (let at = 0; at < stream.length; at += CHUNK_BYTES) {
      frames.push(stream.subarray(at, at + CHUNK_BYTES), (message) => {
        const update = readUpdate(message)
        if (update.kind === 'transaction') transactions.push(update.transaction)
      })
    }
    const decoded = decodeBlock({
      slot: SLOT,
      timestamp: block.blockTime * 1000,
      transactions,
    })
    expectEqual('swaps', decoded.events.length, SWAPS)
  })
}

const PROGRAMS: ReadonlySet<unknown> = new Set(VENUES.map(({ program }) => program))

/** Whether an account of it is a venue's program, as the filter of the subscription demands. */
function namesVenue({ transaction, meta }: Json): boolean {
  const { accountKeys } = (transaction as { message: { accountKeys: unknown[] } }).message
  const { loadedAddresses } = meta as { loadedAddresses?: Record<string, unknown[]> }
  return [accountKeys, ...Object.values(loadedAddresses ?? {})].flat().some((key) => {
    return PROGRAMS.has(key)
  })
}

/** The peer is no dependency: `npm install --no-save solana-dex-parser` before the bench brings its figures. */
const PEER_PACKAGE = 'solana-dex-parser'

type Peer = { DexParser: new () => { parseTrades(transaction: Json): unknown[] } }

async function peerSamples(
  { transactions, blockTime }: { transactions: Json[]; blockTime: number },
  ownMs: number,
): Promise<Sample[]> {
  const peer = await import(PEER_PACKAGE).catch(() => undefined)
  if (peer === undefined) return []
  const parser = new (peer as Peer).DexParser()
  const value = cpuMs(PEER_BLOCKS, () => {
    for (const each of transactions) parser.parseTrades({ ...each, slot: SLOT, blockTime })
  })
  return [
    { figure: PEER, value },
    { figure: RATIO, value: value / ownMs },
  ]
}

/** Blocks a second of CPU of the reader, from the node's responses to events. */
async function backfill(isGzipped: boolean): Promise<number> {
  const serving: ChainRequest = { slots: WARM_UP_BLOCKS + FETCHED_BLOCKS, isGzipped }
  const node = startProgram<ChainMessage>('chain-program.ts', serving, BENCH_FLAGS)
  try {
    const { url } = await node.receive('ready')
    const reading: ChainRequest = { url, warmUpBlocks: WARM_UP_BLOCKS, blocks: FETCHED_BLOCKS }
    const reader = startProgram<ChainMessage>('chain-program.ts', reading, BENCH_FLAGS)
    const { cpuMs: spent, events } = await reader.receive('read', BACKFILL_BOUND_MS)
    expectEqual('swaps', events, FETCHED_BLOCKS * SWAPS)
    return (FETCHED_BLOCKS * 1000) / spent
  } finally {
    await node.stop()
  }
}

/** Share of a core, in percent, that a live stream takes: transport, statuses, assembly and decoding. */
async function live(): Promise<number> {
  const blockMs = 1_000 / BLOCKS_A_SECOND
  const slots = LIVE_WARM_UP_BLOCKS + LIVE_BLOCKS + TAIL_BLOCKS
  const server = startProgram<ChainMessage>('chain-program.ts', { slots, blockMs }, BENCH_FLAGS)
  try {
    const { url } = await server.receive('ready')
    const blocks = { warmUpBlocks: LIVE_WARM_UP_BLOCKS, blocks: LIVE_BLOCKS }
    const reading: ChainRequest = { url, isLive: true, ...blocks }
    const reader = startProgram<ChainMessage>('chain-program.ts', reading, BENCH_FLAGS)
    const { cpuMs: spent, events } = await reader.receive('read')
    expectEqual('swaps', events, LIVE_BLOCKS * SWAPS)
    return (100 * spent) / (LIVE_BLOCKS * blockMs)
  } finally {
    await server.stop()
  }
}
