/**
 * Delay that 500 stopped WebSockets cause to active readers: from before a message is written to FEED until its frame
 * is at a reader, without them and alongside them while their frames are buffered. API, readers and writer are separate
 * programs.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { quantile, type Sample, sharedClockMs, WrongResult } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import type { ReadersMessage } from '../programs/feed-readers-program.ts'
import type { Program } from '../programs/program.ts'
import type { Stage } from '../stage.ts'
import { sendToReaders, startFeedApi, startReaders, untilHad, writeSwaps } from './fan-out.ts'

const READERS = 5
const STOPPED = 500
const MESSAGES = 400
const EVERY_MS = 5
/** 13 MB of frames for each: far beyond the buffers. */
const BURST_MESSAGES = 60
const BURST_SIZE = 200
const ARRIVAL_BOUND_MS = 60_000
/** Slot of the swap that writeSwaps() numbers so. */
const slotOf = (n: number): number => 1_000 + Math.floor(n / 9) * 10 + (n % 9)

const QUIET = 'written to FEED -> WebSocket reader, p99'
const BESIDE = `the same alongside ${STOPPED} that stopped reading`
const RATIO = 'alongside stopped readers / quiet, p99'
const MEMORY = `memory of the API for ${STOPPED} that stopped reading`

export const slowReaders: Measurement = {
  name: 'slow-readers',
  figures: [
    { figure: QUIET, unit: 'ms', digits: 1 },
    { figure: BESIDE, unit: 'ms', digits: 1 },
    { figure: RATIO, unit: '', digits: 2, goal: '<= 2' },
    { figure: MEMORY, unit: 'MB' },
  ],
  round: (context) => context.stages.use((stage) => play(context, stage)),
}

async function play(context: BenchContext, stage: Stage): Promise<Sample[]> {
  const feedApi = await startFeedApi(context, stage)
  const options = { transport: 'websocket', count: READERS, reportsArrivals: true } as const
  const readers = startReaders(feedApi, options)
  try {
    await readers.receive('joined')
    let written = 0
    const delays = async (): Promise<number> => {
      const found = await delaysOf(stage, readers, written)
      written += MESSAGES
      return quantile(found, 0.99)
    }
    await delays()
    const quiet = await delays()
    const before = residentBytes(feedApi.api.pid)
    const stopped = readers.receive('stopped')
    sendToReaders(readers, { stopped: STOPPED })
    await stopped
    await writeSwaps(stage, written, BURST_MESSAGES, BURST_SIZE)
    written += BURST_MESSAGES * BURST_SIZE
    await untilHad(readers, written)
    const beside = await delays()
    const grown = residentBytes(feedApi.api.pid) - before
    return [
      { figure: QUIET, value: quiet },
      { figure: BESIDE, value: beside },
      { figure: RATIO, value: beside / quiet },
      { figure: MEMORY, value: grown / 1e6 },
    ]
  } finally {
    await readers.stop()
    await feedApi.api.stop()
  }
}

/** Delays of a swap every few milliseconds, at each reader. */
async function delaysOf(
  stage: Stage,
  readers: Program<ReadersMessage>,
  from: number,
): Promise<number[]> {
  const writtenAt = new Map<number, number>()
  const delays: number[] = []
  const stopListening = readers.listen((message) => {
    if (message.kind !== 'arrived') return
    const atMs = writtenAt.get(message.slot)
    if (atMs !== undefined) delays.push(message.atMs - atMs)
  })
  try {
    for (let n = from; n < from + MESSAGES; n++) {
      writtenAt.set(slotOf(n), sharedClockMs())
      await writeSwaps(stage, n, 1, 1)
      await pause(EVERY_MS)
    }
    const boundMs = sharedClockMs() + ARRIVAL_BOUND_MS
    while (delays.length < MESSAGES * READERS) {
      if (sharedClockMs() > boundMs) throw new WrongResult(`${delays.length} frames came`)
      await pause(10)
    }
    return delays
  } finally {
    stopListening()
  }
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}
