/**
 * Blocks of CAR files (Old Faithful) as a source: one file or pipe from its first block on, or a range of slots from an archive of
 * epochs.
 *
 * Blocks come whole, and each node has the hash of its CID. No hash proves that the writer of the archive had every block
 * and every result: coverage therefore names `car` as the source of these slots (docs/sources.md).
 * Decision: docs/decisions/0090-car-files-prove-bytes-not-their-origin.md
 */
import type { DexId } from '../../domain/venue.ts'
import { sourceErrorOf } from '../../streams/sources/open-file.ts'
import { SourceError } from '../../streams/sources/source.ts'
import type { SlotBlock } from './blocks/slot-block.ts'
import { type CarArchive, createCarSlots } from './car/archive.ts'
import { CarSlotReader, type CarSlotsOptions } from './car/car-slots.ts'
import { ChainReader, type ChainSource, rangeSource } from './reader.ts'

export type CarOptions = CarSlotsOptions & {
  /** Absent: all. */
  venues?: ReadonlySet<DexId>
}

/** A file, or a pipe, which is read once. */
export type CarFileInput = {
  /** The name in errors. */
  readonly name: string
  /** Bytes of the whole; undefined for a pipe. */
  readonly bytesTotal: () => number | undefined
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>
}

export function carRangeSource(
  options: CarOptions & { archive: CarArchive; from: number; to: number },
): ChainSource {
  const { archive, venues } = options
  const fetch = createCarSlots(archive, options)
  const reader = new ChainReader({ host: archive.host, fetch, venues })
  return rangeSource(reader, archive, options)
}

/** All slots from the parent of its first block to its last one. */
export function carSource({
  input,
  ...options
}: CarOptions & { input: CarFileInput }): ChainSource {
  let bytesRead = 0
  let newestSlot = 0
  async function* counted(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    bytesRead = 0
    for await (const chunk of bytes) {
      bytesRead += chunk.length
      yield chunk
    }
  }
  async function* fetch(from: number, to: number, signal: AbortSignal): AsyncGenerator<SlotBlock> {
    const range = { from: from === 0 ? undefined : from, to }
    const slots = new CarSlotReader(range, options, signal)
    const bytes = counted(await input.open(signal))
    for await (const each of slots.read({ name: input.name, start: 0, bytes })) {
      newestSlot = Math.max(newestSlot, each.slot)
      yield each
    }
    if (newestSlot === 0 && from === 0) {
      throw new SourceError(`${input.name}: it has no block`, { isRetryable: false })
    }
  }
  const reader = new ChainReader({ host: input.name, fetch, venues: options.venues })
  return {
    isLive: false,
    counts: reader.counts,
    get newestSlot() {
      return newestSlot
    },
    async *open(after, signal) {
      const batches = reader.read(after, async () => 0, Number.MAX_SAFE_INTEGER, signal)
      try {
        for await (const batch of batches) {
          const total = input.bytesTotal()
          const share = total === undefined ? {} : { share: Math.min(1, bytesRead / total) }
          yield { ...batch, ...share }
          if (signal.aborted) return
        }
      } catch (error) {
        throw sourceErrorOf(error)
      }
    },
  }
}
