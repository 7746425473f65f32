/**
 * A portal, without servers of the stack: the recorded block in every slot, read as ranges at once and followed live. CPU of the reader,
 * from the bytes of the transport to events, and its memory.
 */
import { expectEqual } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import { NODE_FLAGS, READER_FLAGS } from '../programs/node-flags.ts'
import { startProgram } from '../programs/program.ts'
import type { PortalMessage, PortalRequest } from '../programs/readers/portal-program.ts'

const BLOCK = 'a block of a portal, from bytes to events'
const MEMORY = 'memory of the reader of a portal, 8 streams'
const LIVE = 'live from a portal, 2.5 blocks/s'

/** In the recorded block. */
const EVENTS = 133
const STREAMS = 8
const WARM_UP_BLOCKS = 400
/** Each stream has read ahead as far as it may. */
const BLOCKS = 3_000
const BOUND_MS = 1_200_000
const BLOCK_MS = 400
const LIVE_WARM_UP_BLOCKS = 60
const LIVE_BLOCKS = 60

export const portal: Measurement = {
  name: 'portal',
  figures: [
    { figure: BLOCK, unit: 'ms CPU', goal: '<= 14', digits: 1 },
    { figure: MEMORY, unit: 'MiB', goal: '<= 400' },
    { figure: LIVE, unit: '% of a core', goal: '<= 10', digits: 1 },
  ],
  async round() {
    const range = { warmUpBlocks: WARM_UP_BLOCKS, blocks: BLOCKS, streams: STREAMS }
    const { cpuMs, peakMiB } = await measured({ slots: WARM_UP_BLOCKS + BLOCKS + 1 }, range)
    const followed = { warmUpBlocks: LIVE_WARM_UP_BLOCKS, blocks: LIVE_BLOCKS }
    const slots = LIVE_WARM_UP_BLOCKS + LIVE_BLOCKS + 1
    const live = await measured({ slots, blockMs: BLOCK_MS }, followed)
    return [
      { figure: BLOCK, value: cpuMs / BLOCKS },
      { figure: MEMORY, value: peakMiB },
      { figure: LIVE, value: (100 * live.cpuMs) / (LIVE_BLOCKS * BLOCK_MS) },
    ]
  },
}

async function measured(
  serving: PortalRequest,
  reading: { streams?: number; warmUpBlocks: number; blocks: number },
): Promise<{ cpuMs: number; peakMiB: number }> {
  const server = startProgram<PortalMessage>('readers/portal-program.ts', serving, NODE_FLAGS)
  try {
    const { url } = await server.receive('ready')
    const request: PortalRequest = { url, ...reading }
    const flags = reading.streams === undefined ? NODE_FLAGS : READER_FLAGS
    const reader = startProgram<PortalMessage>('readers/portal-program.ts', request, flags)
    const { cpuMs, events, peakMiB } = await reader.receive('read', BOUND_MS)
    expectEqual('events', events, reading.blocks * EVENTS)
    return { cpuMs, peakMiB }
  } finally {
    await server.stop()
  }
}
