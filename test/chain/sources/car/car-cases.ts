/** The cases of the sources that read CAR files: those of a node (rpc-cases.ts), written as a file. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import type { ExecutionContext } from 'ava'
import { localArchive } from '../../../../chain/sources/car/local-archive.ts'
import type { CarFileInput } from '../../../../chain/sources/car.ts'
import { CHAIN_SOURCES } from '../../../../chain/sources/table.ts'
import type { Source } from '../../../../streams/sources/source.ts'
import type { SourceCase } from '../../../streams/sources/cases.ts'
import { carOf } from '../../../support/chain/car/car-form.ts'
import { slotRangesFile, type WrittenCar } from '../../../support/chain/car/car-writer.ts'
import { FIRST_SLOT, makeChain } from '../../../support/chain/served-chain.ts'
import { BROKEN_CHAIN, CHAIN, COMMON, NOTICES, RANGE } from '../rpc-cases.ts'

const EPOCH = Math.floor(FIRST_SLOT / 432_000)

/** A folder with the files of the chain's epoch. */
async function folderOf(
  t: ExecutionContext,
  files: Readonly<Record<string, Buffer>>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-car-'))
  t.teardown(() => rm(folder, { recursive: true }))
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
  return folder
}

/** Chunks that end within sections. */
const CHUNK_BYTES = 50_021

export function inputOf(bytes: Buffer, name = 'test.car'): CarFileInput {
  const chunks = function* (): Generator<Buffer> {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      yield bytes.subarray(at, at + CHUNK_BYTES)
    }
  }
  return { name, bytesTotal: () => bytes.length, open: async () => Readable.from(chunks()) }
}

let whole: WrittenCar | undefined

/** The file of the whole chain, which takes longer to write than the tests to read. */
function wholeCar(): WrittenCar {
  whole ??= carOf(makeChain(CHAIN))
  return whole
}

const fileOf = ({ bytes }: WrittenCar): Source => CHAIN_SOURCES.car({ input: inputOf(bytes) })

/** A pipe whose writer sent a part and stays connected. */
function silentPipe(): Source {
  const { bytes, rows } = wholeCar()
  const { start, length } = rows.get(FIRST_SLOT) ?? { start: 0, length: 0 }
  const stdin = new PassThrough()
  stdin.write(bytes.subarray(0, start + length))
  const open = async (signal: AbortSignal): Promise<PassThrough> => {
    signal.addEventListener('abort', () => stdin.destroy(new Error('aborted')))
    return stdin
  }
  return CHAIN_SOURCES.car({ input: { name: '-', bytesTotal: () => undefined, open } })
}

export const CAR_CASE: SourceCase = {
  ...COMMON,
  knowsItsEnd: true,
  whole: async () => fileOf(wholeCar()),
  waiting: async () => silentPipe(),
  broken: { open: async () => fileOf(carOf(BROKEN_CHAIN())), notices: NOTICES },
}

async function rangeOf(t: ExecutionContext, car: WrittenCar): Promise<Source> {
  const folder = await folderOf(t, {
    [`epoch-${EPOCH}.car`]: car.bytes,
    [`epoch-${EPOCH}-slot-ranges.raw`]: slotRangesFile(car, EPOCH),
  })
  return CHAIN_SOURCES['car-range']({ archive: localArchive(folder), ...RANGE })
}

export const CAR_RANGE_CASE: SourceCase = {
  ...COMMON,
  knowsItsEnd: true,
  whole: (t) => rangeOf(t, wholeCar()),
  // A file never waits: the abort comes while its next block is read.
  waiting: (t) => rangeOf(t, wholeCar()),
  broken: { open: (t) => rangeOf(t, carOf(BROKEN_CHAIN())), notices: NOTICES },
}
