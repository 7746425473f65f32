/** An archive of epochs as CAR files, and all slots of a range from it. */
import { SourceError } from '../../../streams/sources/source.ts'
import type { FetchSlots, SlotBlock } from '../blocks/slot-block.ts'
import { CarSlotReader, type CarSlotsOptions, type ReadBlock } from './car-slots.ts'
import { epochOf, lastSlotOf, refusalOf } from './epochs.ts'
import type { SlotRanges } from './slot-ranges.ts'

/** `open` from an offset on; `isPacked`: only from 0. Its bytes throw SourceError. */
export type CarFile = {
  readonly name: string
  readonly isPacked: boolean
  open(start: number, signal: AbortSignal): AsyncIterable<Uint8Array>
}

export type CarArchive = {
  /** The name in messages. */
  readonly host: string
  /** Requests over a network. */
  readonly counts: { requests: number; throttled: number; failed: number }
  /** The newest slot that was read; 0 before the first. */
  newestSlot: number
  /** Throws SourceError where it has no file of the epoch. */
  fileOf(epoch: number, signal: AbortSignal): Promise<EpochFile>
}

/** `ranges`: where its blocks lie; undefined: the file is read from its beginning. */
export type EpochFile = { readonly file: CarFile; readonly ranges: SlotRanges | undefined }

/** Blocks after which reading may begin again. */
const HELD_MAX = 64

/** Begins again, after an error, where an earlier iteration ended. */
export function createCarSlots(archive: CarArchive, options: CarSlotsOptions): FetchSlots {
  const held: ReadBlock[] = []
  return async function* fetchSlots(from, to, signal) {
    const reader = new CarSlotReader({ from, to }, options, signal)
    for (let epoch = epochOf(from); !reader.isDone; epoch++) {
      const refusal = refusalOf(epoch)
      if (refusal !== undefined) throw final(`${archive.host}: ${refusal}`)
      const { file, ranges } = await archive.fileOf(epoch, signal)
      const before = file.isPacked ? undefined : heldBefore(held, from, epoch)
      const start = before?.end ?? (file.isPacked ? 0 : (ranges?.startBefore(from) ?? 0))
      const input = { name: file.name, start, bytes: file.open(start, signal), before, ranges }
      const isWhole = yield* noted(reader.read(input), reader, held)
      archive.newestSlot = Math.max(archive.newestSlot, reader.newest?.slot ?? 0)
      if (reader.isDone) return
      if (!isWhole) {
        const newest =
          reader.newest === undefined ? 'has no block' : `ends after slot ${reader.newest.slot}`
        throw final(
          `${file.name} ${newest}, and not with the root of its epoch: slot ${reader.next} is missing`,
        )
      }
      yield* reader.skipTo(lastSlotOf(epoch) + 1)
    }
  }
}

async function* noted(
  slots: AsyncGenerator<SlotBlock, boolean>,
  reader: CarSlotReader,
  held: ReadBlock[],
): AsyncGenerator<SlotBlock, boolean> {
  try {
    for (let step = await slots.next(); ; step = await slots.next()) {
      const { newest } = reader
      if (newest !== undefined && newest.slot > (held.at(-1)?.slot ?? -1)) {
        held.push(newest)
        if (held.length > HELD_MAX) held.shift()
      }
      if (step.done === true) return step.value
      yield step.value
    }
  } finally {
    await slots.return(false)
  }
}

const heldBefore = (
  held: readonly ReadBlock[],
  slot: number,
  epoch: number,
): ReadBlock | undefined =>
  held.findLast(
    (each) => each.slot < slot && epochOf(each.slot) === epoch && epochOf(slot) === epoch,
  )

const final = (text: string): SourceError => new SourceError(text, { isRetryable: false })
