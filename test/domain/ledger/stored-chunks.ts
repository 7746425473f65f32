/** The table of sealed chunks as a map, and a queue's lots read through it. */
import { LOT_BYTES, type Lot } from '../../../domain/ledger/lot-run.ts'
import { CHUNK_LOTS, type LotQueue } from '../../../domain/ledger/lots.ts'

export class StoredChunks {
  readonly chunks = new Map<number, Buffer>()
  reads = 0

  /** The effect of a flush. */
  keep(lots: LotQueue): void {
    for (const { chunk, bytes } of lots.takeSealed()) this.chunks.set(chunk, bytes)
  }

  /** The loads of a batch before it folds sells of so much. */
  supply(lots: LotQueue, quantity: bigint): void {
    for (let [chunk] = lots.missingChunks(quantity, 1); chunk !== undefined; ) {
      const bytes = this.chunks.get(chunk)
      if (bytes === undefined) throw new Error(`chunk ${chunk} was never sealed`)
      lots.supply({ chunk, bytes })
      this.reads += 1
      ;[chunk] = lots.missingChunks(quantity, 1)
    }
  }
}

/** Every lot, oldest first, as a reader of the stored bytes sees them. */
export function lotsOf(lots: LotQueue, stored = new StoredChunks()): Lot[] {
  const { head, tail, first, next } = lots.pack()
  const between: Buffer[] = []
  for (let chunk = lots.firstSealedChunk; (chunk + 1) * CHUNK_LOTS < next; chunk++) {
    const bytes = stored.chunks.get(chunk)
    if (bytes === undefined) throw new Error(`chunk ${chunk} was never sealed`)
    between.push(bytes)
  }
  const bytes = Buffer.concat([head, ...between, tail])
  if (bytes.length !== (next - first) * LOT_BYTES) throw new Error('lots are missing')
  return Array.from({ length: next - first }, (_, index) => ({
    quantity: bytes.readBigInt64LE(index * LOT_BYTES),
    cost: bytes.readBigInt64LE(index * LOT_BYTES + 8),
    timestamp: bytes.readDoubleLE(index * LOT_BYTES + 16),
  }))
}
