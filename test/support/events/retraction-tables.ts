/** Parquet tables of retractions with one column, in row groups that a test can damage. */
import type { CompressionCodec } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { Event } from '../../../domain/events/event.ts'
import { readMapping } from '../../../streams/ingest/columns/mapping.ts'

/** Slots of 5,000 retractions; `retractions` has them in five row groups of a page each. */
export const SLOTS = Array.from({ length: 5_000 }, (_, index) => BigInt(index % 1_000))
export const retractions = (
  codec: CompressionCodec,
  compress?: (input: Uint8Array) => Uint8Array,
) =>
  Buffer.from(
    parquetWriteBuffer({
      columnData: [{ name: 'slot', data: SLOTS, type: 'INT64' }],
      codec,
      rowGroupSize: 1_000,
      pageSize: 1_000,
      ...(compress ? { compressors: { [codec]: compress } } : {}),
    }),
  )
export const RETRACT = readMapping('{"kind":"retract"}')
export const slotsOf = (events: readonly Event[]) =>
  events.map((event) => (event.kind === 'retract' ? BigInt(event.retraction.slot) : undefined))
