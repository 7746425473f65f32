/**
 * CAR files, without servers of the stack: the recorded block in every slot, alongside as many votes as blocks hold, read from a
 * file with every hash checked. CPU of the reader from bytes to events, and its memory.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectEqual } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import { READER_FLAGS } from '../programs/node-flags.ts'
import { startProgram } from '../programs/program.ts'
import type { CarMessage, CarRequest } from '../programs/readers/car-program.ts'
import { carOfRecordedBlocks } from '../test-support.ts'

const BLOCKS_A_CORE = 'blocks of a CAR file'
const MEMORY = 'memory of the reader of a CAR file'

/** In the recorded block. */
const SWAPS = 133
const BLOCKS = 50
/** With the 557 others of the recorded block: 1,300 transactions. */
const VOTES = 743
const WARM_UPS = 4
const PASSES = 8
const BOUND_MS = 600_000

export const car: Measurement = {
  name: 'car',
  figures: [
    { figure: BLOCKS_A_CORE, unit: 'blocks/s a core', goal: '>= 60' },
    { figure: MEMORY, unit: 'MiB', goal: '<= 400' },
  ],
  async round() {
    const folder = await mkdtemp(join(tmpdir(), 'swaptide-car-'))
    try {
      const path = join(folder, 'blocks.car')
      await writeFile(path, carOfRecordedBlocks(BLOCKS, VOTES))
      const { cpuMs, blocks, events, peakMiB } = await read({
        path,
        warmUps: WARM_UPS,
        passes: PASSES,
      })
      expectEqual('swaps', events, blocks * SWAPS)
      return [
        { figure: BLOCKS_A_CORE, value: (blocks * 1_000) / cpuMs },
        { figure: MEMORY, value: peakMiB },
      ]
    } finally {
      await rm(folder, { recursive: true })
    }
  },
}

async function read(request: CarRequest): Promise<CarMessage> {
  const reader = startProgram<CarMessage>('readers/car-program.ts', request, READER_FLAGS)
  try {
    return await reader.receive('read', BOUND_MS)
  } finally {
    await reader.stop()
  }
}
