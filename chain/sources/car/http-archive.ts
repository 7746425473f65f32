/**
 * CAR files of an HTTP server that is arranged as the public archive: `E/epoch-E.car`, and next to it, where the server has one,
 * the list of the epoch's slots, by which a file is read from where the range begins.
 */
import type { CarArchive, CarFile, EpochFile } from './archive.ts'
import { rangesName, slotRangesOf } from './local-archive.ts'
import { RangeClient, type RangeOptions } from './range-client.ts'
import { SLOT_RANGES_BYTES, type SlotRanges } from './slot-ranges.ts'

/** Throws the errors of URL. */
export function httpArchive(options: RangeOptions): CarArchive {
  const client = new RangeClient(options)
  let newest: { epoch: number; ranges: SlotRanges | undefined } | undefined
  return {
    host: client.host,
    counts: client.counts,
    newestSlot: 0,
    async fileOf(epoch, signal): Promise<EpochFile> {
      if (newest?.epoch !== epoch) {
        const path = `${epoch}/${rangesName(epoch)}`
        const rows = await client.whole(path, SLOT_RANGES_BYTES, signal)
        const ranges = rows && slotRangesOf(rows, epoch, `${path} from ${client.host}`)
        newest = { epoch, ranges }
      }
      return { file: httpCarFile(client, epoch), ranges: newest.ranges }
    },
  }
}

function httpCarFile(client: RangeClient, epoch: number): CarFile {
  const path = `${epoch}/epoch-${epoch}.car`
  return {
    name: `${path} from ${client.host}`,
    isPacked: false,
    open: (start, signal) => client.read(path, start, signal),
  }
}
