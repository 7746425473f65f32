/**
 * Chain data, without servers of the stack: the recorded block in every slot, followed live as Yellowstone messages and
 * backfilled from a JSON-RPC node on this machine. CPU of the reader, from the bytes of the transport to events.
 */
import { expectEqual } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import type { ChainMessage, ChainRequest } from '../programs/chain-program.ts'
import { NODE_FLAGS } from '../programs/node-flags.ts'
import { startProgram } from '../programs/program.ts'

const LIVE = 'live over gRPC with all statuses, 4 blocks/s'
const BACKFILL = 'backfill from a local node'

/** In the recorded block. */
const SWAPS = 133
const BLOCKS_A_SECOND = 4
const FETCHED_BLOCKS = 600
/** A backfill is long: a short run measures compiling. */
const WARM_UP_BLOCKS = 200
const BACKFILL_BOUND_MS = 600_000
const LIVE_BLOCKS = 60
/** A live stream is followed for days: its code is warm. */
const LIVE_WARM_UP_BLOCKS = 60
/** The source holds a slot until later ones came. */
const TAIL_BLOCKS = 40

export const chain: Measurement = {
  name: 'chain',
  figures: [
    { figure: LIVE, unit: '% of a core', goal: '<= 5', digits: 1 },
    { figure: BACKFILL, unit: 'blocks/s a core', goal: '>= 100' },
  ],
  async round() {
    return [
      { figure: LIVE, value: await live() },
      { figure: BACKFILL, value: await backfill() },
    ]
  },
}

/** Blocks a second of CPU of the reader, from the node's responses to events. */
async function backfill(): Promise<number> {
  const serving: ChainRequest = { slots: WARM_UP_BLOCKS + FETCHED_BLOCKS }
  const reading = { warmUpBlocks: WARM_UP_BLOCKS, blocks: FETCHED_BLOCKS }
  return (FETCHED_BLOCKS * 1_000) / (await readerMs(serving, reading))
}

/** Share of a core, in percent, that a live stream takes: transport, statuses, assembly and decoding. */
async function live(): Promise<number> {
  const blockMs = 1_000 / BLOCKS_A_SECOND
  const serving = { slots: LIVE_WARM_UP_BLOCKS + LIVE_BLOCKS + TAIL_BLOCKS, blockMs }
  const reading = { isLive: true, warmUpBlocks: LIVE_WARM_UP_BLOCKS, blocks: LIVE_BLOCKS }
  return (100 * (await readerMs(serving, reading))) / (LIVE_BLOCKS * blockMs)
}

/** Milliseconds of CPU of a reader for all blocks after its warm-up. */
async function readerMs(
  serving: ChainRequest,
  reading: { isLive?: boolean; warmUpBlocks: number; blocks: number },
): Promise<number> {
  const node = startProgram<ChainMessage>('chain-program.ts', serving, NODE_FLAGS)
  try {
    const { url } = await node.receive('ready')
    const request: ChainRequest = { url, ...reading }
    const reader = startProgram<ChainMessage>('chain-program.ts', request, NODE_FLAGS)
    const { cpuMs, events } = await reader.receive('read', BACKFILL_BOUND_MS)
    expectEqual('swaps', events, reading.blocks * SWAPS)
    return cpuMs
  } finally {
    await node.stop()
  }
}
