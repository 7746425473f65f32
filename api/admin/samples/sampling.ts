/** Takes a sample of the metrics each interval, from the start of the process to its end. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../domain/log.ts'
import { type SampleColumns, SampleRing } from './ring.ts'
import type { Reading } from './sample.ts'

export type Samples = { columns(): SampleColumns; stop(): void }

type SamplingOptions = {
  /** Never rejects. */
  read: () => Promise<Reading>
  everyMs?: number | undefined
  /** Unix ms. */
  now: () => number
  log: Log
}

const EVERY_MS = 10_000

export function startSampling({ read, everyMs = EVERY_MS, now, log }: SamplingOptions): Samples {
  const ring = new SampleRing(everyMs)
  const ended = new AbortController()
  const { signal } = ended
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(everyMs - (now() % everyMs), undefined, { signal, ref: false })
      const atMs = now()
      ring.add(atMs, await read())
    }
  }
  run().catch((err: unknown) => {
    if (!signal.aborted) log.error({ err }, 'failed to sample metrics: charts end here')
  })
  return { columns: () => ring.columns(), stop: () => ended.abort() }
}
