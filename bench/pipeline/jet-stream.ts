/**
 * The other raw limit: JetStream alone, the pipeline's messages of 200 events, encoded beforehand. First all
 * are published (64 unanswered at a time, every ack checked), then all are read.
 */

import { encodeEventBatch } from '../../streams/codec/event-codec.ts'
import { BATCH_EVENTS_MAX } from '../../streams/ingest/batcher.ts'
import { openReader } from '../../streams/nats/jetstream.ts'
import { swapStreamSubject, swapSubject } from '../../streams/nats/subject.ts'
import { marketEvents } from '../market/market.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, sharedClockMs } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import type { Stage } from '../stage.ts'

const IN_FLIGHT_MAX = 64
const TAKE_BYTES = 1024 * 1024

const PUBLISH = 'raw JetStream publish, 200 swaps a message'
const CONSUME = 'raw JetStream consume, 200 swaps a message'

type Message = { subject: string; payload: Buffer }

export const jetStreamAlone: Measurement = {
  name: 'jetstream',
  needsStack: true,
  figures: [
    { figure: PUBLISH, unit: 'swaps/s' },
    { figure: CONSUME, unit: 'swaps/s' },
  ],
  round({ stack, stages, swaps }) {
    return stages.use(async (stage) => {
      const messages = encodedMessages(stage, swaps)
      const programs = { NATS: stack.servers.nats.pid, client: 0 }
      const publishing = startMeter(programs)
      const fromMs = sharedClockMs()
      await publishAll(stage, messages)
      const betweenMs = sharedClockMs()
      const publishCpu = publishing.perSwap(swaps)
      const consuming = startMeter(programs)
      expectEqual('messages read', await readAll(stage, messages.length), messages.length)
      const toMs = sharedClockMs()
      const rate = (ms: number): number => swaps / (ms / 1000)
      return [
        { figure: PUBLISH, value: rate(betweenMs - fromMs), cpu: publishCpu },
        { figure: CONSUME, value: rate(toMs - betweenMs), cpu: consuming.perSwap(swaps) },
      ]
    })
  },
}

function encodedMessages({ topology }: Stage, swapsWanted: number): Message[] {
  const swaps = marketEvents(swapsWanted).filter((event) => event.kind === 'swap')
  const bySubject = Map.groupBy(swaps, (event) =>
    swapSubject(topology.prefix, event, topology.laneCount),
  )
  return [...bySubject].flatMap(([subject, events]) => {
    const messages: Message[] = []
    for (let at = 0; at < events.length; at += BATCH_EVENTS_MAX) {
      const payload = encodeEventBatch(events.slice(at, at + BATCH_EVENTS_MAX))
      messages.push({ subject, payload })
    }
    return messages
  })
}

async function publishAll({ jetStream }: Stage, messages: readonly Message[]): Promise<void> {
  const queue = messages.values()
  await Promise.all(
    Array.from({ length: IN_FLIGHT_MAX }, async () => {
      for (let next = queue.next(); !next.done; next = queue.next()) {
        await jetStream.publish(next.value.subject, next.value.payload)
      }
    }),
  )
}

async function readAll({ jetStream, topology }: Stage, count: number): Promise<number> {
  const filter = swapStreamSubject(topology.prefix)
  const reader = await openReader(jetStream, topology.swap.stream, filter, 1)
  let read = 0
  while (read < count) {
    const messages = await reader.take(TAKE_BYTES, 5_000)
    if (messages.length === 0) break
    read += messages.length
  }
  await reader.close()
  return read
}
