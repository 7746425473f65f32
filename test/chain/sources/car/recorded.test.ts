/** Recorded pieces of real archives: a block of epoch 157, and single nodes. */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { zstdDecompressSync } from 'node:zlib'
import { CarBlockIterator } from '@ipld/car'
import { decode } from '@ipld/dag-cbor'
import test from 'ava'
import { StatusMeta } from '../../../../chain/forms/geyser/status-meta.ts'
import { KeySet } from '../../../../chain/forms/key-set.ts'
import { WireMessage } from '../../../../chain/forms/wire-message.ts'
import type { CarBlock } from '../../../../chain/sources/car/format/blocks.ts'
import { readNode } from '../../../../chain/sources/car/format/nodes.ts'
import { readCarBlocks } from '../../../../chain/sources/car/format/read-blocks.ts'
import { carSource } from '../../../../chain/sources/car.ts'
import { VENUES } from '../../../../domain/venue.ts'

const FOLDER = new URL('../../../data/car/', import.meta.url)
const PIECE = new URL('slot_68234640.car.zst', FOLDER)
const TRANSACTIONS = 4_208

async function recordedBlock(): Promise<CarBlock> {
  const input = { name: 'piece', start: 0, bytes: createReadStream(PIECE) }
  for await (const block of readCarBlocks(input, { isWhole: false })) return block
  throw new Error('expected a block')
}

test('a whole block of epoch 157 is read: every transaction on the wire, every result', async (t) => {
  const { slot, parentSlot, timestamp, blockhash, transactions } = await recordedBlock()
  t.deepEqual([slot, parentSlot], [68_234_640, 68_234_639])
  t.is(timestamp, Date.UTC(2021, 2, 9, 2, 8, 13))
  t.is(blockhash, 'SvesHVzraAnRcGhTgpbt76HrB5rWddN7JbHfEXrw1nL')
  t.is(transactions.length, TRANSACTIONS)
  t.true(transactions.every(({ index }, order) => index === order))
  t.true(transactions.every(({ message }) => WireMessage.read(message) !== undefined))
  const results = transactions.map(({ meta }) => StatusMeta.read(zstdDecompressSync(meta())))
  t.is(results.filter(({ hasFailed }) => hasFailed).length, 201)
  t.true(results.every(({ isBare }) => isBare))
  const balances = results.flatMap(({ tokenBalances }) => [...tokenBalances.values()])
  t.is(balances.filter(({ isNew }) => !isNew).length, 6)
  t.is(balances.length, 8)
})

test('a general library reads the same nodes of the block', async (t) => {
  // Without the header of length 0, which a library of CAR files refuses.
  const bytes = zstdDecompressSync(await readFile(PIECE)).subarray(1)
  const header = Buffer.from('11a265726f6f7473806776657273696f6e01', 'hex')
  const iterator = await CarBlockIterator.fromBytes(Buffer.concat([header, bytes]))
  const kinds = [0, 0, 0, 0, 0, 0, 0]
  for await (const { bytes: node } of iterator) {
    const kind = (decode(node) as number[])[0] as number
    kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  t.deepEqual(kinds, [TRANSACTIONS, 3_657, 1, 0, 0, 1, 0])
})

test('a block that names no venue is whole, although its results were not recorded', async (t) => {
  const { transactions } = await recordedBlock()
  const venues = new KeySet(VENUES.map(({ program }) => program))
  t.false(transactions.some(({ message }) => WireMessage.read(message)?.names(venues)))
  const open = async () => createReadStream(PIECE)
  const source = carSource({ input: { name: 'piece', bytesTotal: () => undefined, open } })
  let batches = 0
  for await (const batch of source.open(undefined, new AbortController().signal)) {
    batches++
    t.is(batch.gap, undefined)
  }
  t.is(batches, 1)
  t.like(source.counts, { slots: 1, gapSlots: 0, swaps: 0, transactions: TRANSACTIONS })
})

test('single nodes of every kind are read', async (t) => {
  const text = await readFile(new URL('nodes.ndjson', FOLDER), 'utf8')
  const nodes = text
    .trim()
    .split('\n')
    .map((line): { name: string; hex: string } => JSON.parse(line))
  t.is(nodes.length, 21)
  for (const { name, hex } of nodes) {
    const { kind } = readNode(Buffer.from(hex, 'hex'))
    t.is(kind, name.replace(/_raw\d+$/, '').replace('dataFrame', 'frame') as typeof kind)
  }
  const frame = nodes.find(({ name }) => name === 'dataFrame_raw2')?.hex ?? ''
  const read = readNode(Buffer.from(frame, 'hex'))
  t.like(read, { kind: 'frame', frame: { index: 22, total: 28, hash: 0x48acf56598bd34f8n } })
  t.is(read.kind === 'frame' && read.frame.next.length, 5)
})
