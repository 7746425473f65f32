/**
 * The edges of text, one core and no servers: the simulator printing its market as lines, and `ingest`
 * reading such lines up to where it would publish.
 */
import { Readable } from 'node:stream'
import { printEvent } from '../../streams/ingest/ndjson-writer.ts'
import { DEFAULT_LANE_COUNT } from '../../streams/nats/lane.ts'
import { runSource } from '../../streams/sources/run-source.ts'
import { standardInputSource } from '../../streams/sources/standard-input.ts'
import { marketEvents } from '../market/market.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, sharedClockMs, WrongResult } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'

const SIMULATE = 'simulator with print'
const PARSE = 'ingest: lines read, checked, batched'
const CHUNK_BYTES = 64 * 1024

export const text: Measurement = {
  name: 'text',
  needsStack: false,
  figures: [
    { figure: SIMULATE, unit: 'swaps/s', goal: '>= 20,000' },
    { figure: PARSE, unit: 'lines/s' },
  ],
  async round({ swaps }) {
    const simulating = startMeter({ simulator: 0 })
    const fromMs = sharedClockMs()
    const lines = marketEvents(swaps).map((event) => `${printEvent(event)}\n`)
    const simulated = swaps / ((sharedClockMs() - fromMs) / 1000)
    const simulateCpu = simulating.perSwap(swaps)
    const bytes = Buffer.from(lines.join(''))
    const parsing = startMeter({ ingest: 0 })
    const parseFromMs = sharedClockMs()
    const stdin = Readable.from(chunksOf(bytes))
    // As from a file: batches fill up.
    const source = { ...standardInputSource({ stdin, now: Date.now }), isLive: false }
    const report = await runSource(source, {
      publish: async () => 'stored',
      laneCount: DEFAULT_LANE_COUNT,
      prefix: '',
      signal: new AbortController().signal,
      onNotice: ({ at, reasons }) => {
        throw new WrongResult(`line ${at} is refused: ${JSON.stringify(reasons)}`)
      },
    })
    const parsed = lines.length / ((sharedClockMs() - parseFromMs) / 1000)
    expectEqual('lines read', report.units, lines.length)
    expectEqual('swaps read', report.stored.swaps, swaps)
    return [
      { figure: SIMULATE, value: simulated, cpu: simulateCpu },
      { figure: PARSE, value: parsed, cpu: parsing.perSwap(lines.length) },
    ]
  },
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield bytes.subarray(at, at + CHUNK_BYTES)
  }
}
