// The queue of lots against a plain list, over many chunks and with the sealed ones out of memory; and
// that a swap costs the same in a position of any size, by counting reads and writes.

import test from 'ava'
import fc from 'fast-check'
import { LOT_BYTES, type Lot } from '../../../domain/ledger/lot-run.ts'
import { CHUNK_LOTS, LotQueue } from '../../../domain/ledger/lots.ts'
import { applyToPosition, emptyPosition } from '../../../domain/ledger/position.ts'
import { packState, unpackState } from '../../../workers/ledger/rows/packed-position.ts'
import { buy, sell } from './histories.ts'
import { lotsOf, StoredChunks } from './stored-chunks.ts'

const lot = (n: number, quantity = 1n, cost = 1n): Lot => ({ quantity, cost, timestamp: n })

test('lots are consumed oldest first, a part of one by the floor of its cost', (t) => {
  const lots = new LotQueue()
  lots.push(lot(1, 3n, 10n))
  lots.push(lot(2, 3n, 20n))
  t.is(lots.consume(1n), 3n)
  t.is(lots.consume(3n), 7n + 6n)
  t.deepEqual(lotsOf(lots), [lot(2, 2n, 14n)])
  t.is(lots.consume(2n), 14n)
  t.deepEqual(lotsOf(lots), [])
})

test('consumes no more than the lots hold', (t) => {
  const lots = new LotQueue()
  lots.push(lot(1, 3n, 10n))
  t.throws(() => lots.consume(4n), { message: 'cannot consume 4 of 3' })
  t.deepEqual(lotsOf(lots), [lot(1, 3n, 10n)])
})

/** Runs of pushes and shares to consume, sizes around those of chunks. */
const steps = fc.array(
  fc.oneof(
    fc.record({ push: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(127, 128, 300)) }),
    fc.record({ eatPercent: fc.constantFrom(1, 10, 50, 99, 100) }),
    fc.constant('flush' as const),
    fc.constant('pack' as const),
  ),
  { maxLength: 30 },
)

test('a queue over many chunks equals a list, flushed and packed at any time', (t) => {
  fc.assert(
    fc.property(steps, (taken) => {
      const stored = new StoredChunks()
      let lots = new LotQueue()
      let list: Lot[] = []
      let pushed = 0
      for (const step of taken) {
        if (step === 'flush') stored.keep(lots)
        else if (step === 'pack') {
          stored.keep(lots)
          lots = new LotQueue(lots.pack())
        } else if ('push' in step) {
          for (let left = step.push; left > 0; left--) {
            const pushedLot = lot(pushed, BigInt((pushed % 7) + 1), BigInt((pushed * 31) % 100))
            pushed += 1
            lots.push(pushedLot)
            list.push({ ...pushedLot })
          }
        } else {
          const quantity = (lots.quantity * BigInt(step.eatPercent)) / 100n
          stored.supply(lots, quantity)
          const { cost, rest } = eatList(list, quantity)
          t.is(lots.consume(quantity), cost)
          list = rest
        }
        t.is(
          lots.quantity,
          list.reduce((sum, each) => sum + each.quantity, 0n),
        )
      }
      stored.keep(lots)
      t.deepEqual(lotsOf(lots, stored), list)
    }),
    { numRuns: 200 },
  )
})

function eatList(list: readonly Lot[], quantity: bigint): { cost: bigint; rest: Lot[] } {
  let cost = 0n
  let left = quantity
  const rest: Lot[] = []
  for (const each of list) {
    const isWhole = left >= each.quantity
    const taken = isWhole ? each.quantity : left
    const share = (each.cost * taken) / each.quantity
    left -= taken
    cost += share
    if (!isWhole) {
      rest.push({ ...each, quantity: each.quantity - taken, cost: each.cost - share })
    }
  }
  return { cost, rest }
}

test('a chunk that is sealed and consumed before the flush is still handed out, for snapshots', (t) => {
  const lots = new LotQueue()
  for (let n = 0; n < 3 * CHUNK_LOTS + 1; n++) lots.push(lot(n))
  const snapshot = lots.pack()
  lots.consume(lots.quantity)
  const sealed = lots.takeSealed()
  t.deepEqual(
    sealed.map(({ chunk, bytes }) => [chunk, bytes.length]),
    [
      [1, CHUNK_LOTS * LOT_BYTES],
      [2, CHUNK_LOTS * LOT_BYTES],
    ],
  )
  t.deepEqual(lots.takeSealed(), [])
  const restored = new LotQueue(snapshot)
  t.deepEqual(restored.missingChunks(BigInt(CHUNK_LOTS - 1), 1), [])
  // The head consumed to its end already leaves the next chunk's first lot as the oldest.
  t.deepEqual(restored.missingChunks(BigInt(CHUNK_LOTS), 1), [1])
  for (const chunk of sealed) restored.supply(chunk)
  t.deepEqual(restored.missingChunks(restored.quantity, 1), [])
  t.is(restored.consume(restored.quantity), BigInt(3 * CHUNK_LOTS + 1))
})

test('changes of a state do not change the bytes that it was unpacked from', (t) => {
  const lots = new LotQueue()
  for (let n = 0; n < 2 * CHUNK_LOTS + 10; n++) lots.push(lot(n))
  lots.push({ quantity: 10n, cost: 100n, timestamp: 1 })
  const [sealed] = lots.takeSealed()
  const packed = lots.pack()
  const before = [packed.head, packed.tail, sealed!.bytes].map((bytes) => bytes.toString('hex'))
  for (const left of [3n, 2n]) {
    const again = new LotQueue(packed)
    again.supply(sealed!)
    again.consume(again.quantity - left)
    // A part of the last lot is consumed, and the packed lot lacks it.
    t.deepEqual(lotsOf(again), [{ quantity: left, cost: left * 10n, timestamp: 1 }])
  }
  const after = [packed.head, packed.tail, sealed!.bytes].map((bytes) => bytes.toString('hex'))
  t.deepEqual(after, before)
})

test('reports missing chunks in one run: only sealed ones that are not in memory', (t) => {
  const lots = new LotQueue()
  for (let n = 0; n < 7 * CHUNK_LOTS; n++) lots.push(lot(n))
  const sealed = lots.takeSealed()
  t.deepEqual(lots.missingChunks(BigInt(CHUNK_LOTS), 3), [1, 2, 3])
  t.deepEqual(lots.missingChunks(BigInt(CHUNK_LOTS), 100), [1, 2, 3, 4, 5])
  lots.supply(sealed.find(({ chunk }) => chunk === 1)!)
  lots.supply(sealed.find(({ chunk }) => chunk === 4)!)
  t.deepEqual(lots.missingChunks(BigInt(CHUNK_LOTS), 100), [])
  t.deepEqual(lots.missingChunks(lots.quantity, 100), [2, 3])
})

test('throws for a chunk that was not supplied, and for a broken one', (t) => {
  const lots = new LotQueue()
  for (let n = 0; n < 3 * CHUNK_LOTS; n++) lots.push(lot(n))
  lots.takeSealed()
  t.throws(() => lots.consume(BigInt(CHUNK_LOTS + 1)), { message: /chunk 1 .* not supplied/ })
  t.throws(() => lots.supply({ chunk: 1, bytes: Buffer.alloc(LOT_BYTES) }), {
    message: /not whole/,
  })
})

const MANY = 100_000
/** Swaps between two flushes of the long position. */
const FLUSH_EVERY = 100

test('in a position of 100,000 lots a swap reads four at most, a flush packs two chunks at most', (t) => {
  const stored = new StoredChunks()
  let state = emptyPosition()
  let bytesMax = 0
  for (let n = 0; n < MANY; n++) {
    applyToPosition(state, buy(n, 10, 10))
    if (n % FLUSH_EVERY !== 0) continue
    stored.keep(state.lots)
    const packed = packState(state)
    bytesMax = Math.max(bytesMax, packed.length)
    state = unpackState(packed)
  }
  stored.keep(state.lots)
  // Head, tail and a kilobyte of figures and keys, for any number of chunks between.
  t.true(bytesMax <= 2 * CHUNK_LOTS * LOT_BYTES + 1_024, `${bytesMax} bytes`)
  t.is(state.lots.lotsRead, 0)
  t.is(stored.chunks.size, Math.ceil(MANY / CHUNK_LOTS) - 2)
  // A sell consumes half a lot; the call for its missing chunks reads that lot and the next one, once more if a chunk
  // was missing.
  let readMax = 0
  for (let n = 0; n < MANY / 2; n++) {
    const readBefore = state.lots.lotsRead
    stored.supply(state.lots, 5n)
    applyToPosition(state, sell(MANY + n, 5, 7))
    readMax = Math.max(readMax, state.lots.lotsRead - readBefore)
    if (n % FLUSH_EVERY === 0) stored.keep(state.lots)
  }
  t.true(readMax <= 4, `${readMax} lots read by one swap`)
  // 25,000 lots are consumed: their chunks were read once each, except the first, which was the head.
  t.is(stored.reads, Math.floor(MANY / 4 / CHUNK_LOTS))
  t.is(state.balance, BigInt(MANY * 10 - (MANY / 2) * 5))
  t.is(state.lots.cost, state.balance)
})
