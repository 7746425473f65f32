/**
 * CAR files of a folder, by epoch: `epoch-E.car` or `epoch-E.car.zst`, in the folder or in one named by the epoch, as the public
 * archive arranges them. With `epoch-E-slot-ranges.raw` next to it, a file is opened where the range begins.
 */
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { SourceError } from '../../../streams/sources/source.ts'
import type { CarArchive, CarFile, EpochFile } from './archive.ts'
import { SlotRanges } from './slot-ranges.ts'

const READ_BYTES = 256 * 1024

function localCarFile(path: string): CarFile {
  return {
    name: path,
    isPacked: path.endsWith('.zst'),
    open(start, signal) {
      return addAbortSignal(signal, createReadStream(path, { start, highWaterMark: READ_BYTES }))
    },
  }
}

export function localArchive(folder: string): CarArchive {
  return {
    host: folder,
    counts: { requests: 0, throttled: 0, failed: 0 },
    newestSlot: 0,
    fileOf: (epoch) => findFile(folder, epoch),
  }
}

/** Throws SourceError. */
async function findFile(folder: string, epoch: number): Promise<EpochFile> {
  for (const parent of [folder, join(folder, String(epoch))]) {
    for (const name of [`epoch-${epoch}.car`, `epoch-${epoch}.car.zst`]) {
      const path = join(parent, name)
      if (!(await isFile(path))) continue
      return { file: localCarFile(path), ranges: await readRanges(parent, epoch) }
    }
  }
  const text = `${folder} has no file of epoch ${epoch}: expected epoch-${epoch}.car or epoch-${epoch}.car.zst`
  throw new SourceError(text, { isRetryable: false })
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

async function readRanges(folder: string, epoch: number): Promise<SlotRanges | undefined> {
  const path = join(folder, rangesName(epoch))
  if (!(await isFile(path))) return undefined
  return slotRangesOf(await readFile(path), epoch, path)
}

export const rangesName = (epoch: number): string => `epoch-${epoch}-slot-ranges.raw`

/** Throws SourceError. */
export function slotRangesOf(rows: Buffer, epoch: number, name: string): SlotRanges {
  try {
    return new SlotRanges(rows, epoch)
  } catch (cause) {
    throw new SourceError(`${name}: ${(cause as Error).message}`, { isRetryable: false, cause })
  }
}
