/** Reads a CAR file some times: a process of its own, so that CPU and memory are the reader's. */
import { createReadStream } from 'node:fs'
import { carSource } from '../../../chain/sources/car.ts'
import { programOptions, sendToStarter } from '../program.ts'

export type CarRequest = { path: string; warmUps: number; passes: number }

/** `cpuMs`, `blocks`, `events`: of the passes after the warm-ups; `peakMiB`: of the process. */
export type CarMessage = {
  kind: 'read'
  cpuMs: number
  blocks: number
  events: number
  peakMiB: number
}

const READ_BYTES = 256 * 1024
const KIB_A_MIB = 1024

const { path, warmUps, passes } = programOptions<CarRequest>()
for (let pass = 0; pass < warmUps; pass++) await read()
const begun = process.cpuUsage()
let [blocks, events] = [0, 0]
for (let pass = 0; pass < passes; pass++) {
  const counts = await read()
  blocks += counts.slots - counts.skippedSlots
  events += counts.swaps
}
const { user, system } = process.cpuUsage(begun)
const peakMiB = process.resourceUsage().maxRSS / KIB_A_MIB
sendToStarter<CarMessage>({ kind: 'read', cpuMs: (user + system) / 1_000, blocks, events, peakMiB })
process.disconnect?.()

async function read(): Promise<ReturnType<typeof carSource>['counts']> {
  const open = async () => createReadStream(path, { highWaterMark: READ_BYTES })
  const source = carSource({ input: { name: path, bytesTotal: () => undefined, open } })
  for await (const _ of source.open(undefined, new AbortController().signal)) {
    // Events are counted by the source.
  }
  return source.counts
}
