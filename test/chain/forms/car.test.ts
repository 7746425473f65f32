/** The form of a CAR file gives the events that the node's form of the same transactions gives. */
import test from 'ava'
import { type Decoded, decodeBlock } from '../../../chain/decode.ts'
import { readRpcBlock } from '../../../chain/forms/rpc.ts'
import type { SlotBlock } from '../../../chain/sources/blocks/slot-block.ts'
import { decodeCarBlock } from '../../../chain/sources/car/decode-car-block.ts'
import { readCarBlocks } from '../../../chain/sources/car/format/read-blocks.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { carBlockOf } from '../../support/chain/car/car-form.ts'
import {
  type CarWriterOptions,
  type WrittenBlock,
  writeCar,
} from '../../support/chain/car/car-writer.ts'
import { singleTransactions } from '../../support/chain/real-chain.ts'
import { type Json, recordedBlock, type ServedBlock } from '../../support/chain/served-chain.ts'

const SLOT = 285_000_037
const BLOCK = recordedBlock()
const linesOf = ({ events }: Decoded): string[] => events.map(printEvent)

async function readOne(block: WrittenBlock, options: CarWriterOptions = {}): Promise<SlotBlock> {
  const { bytes } = writeCar([block], options)
  const input = { name: 'x', start: 0, bytes: chunksOf(bytes) }
  for await (const read of readCarBlocks(input, { isWhole: false })) return decodeCarBlock(read, '')
  throw new Error('expected a block')
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007)
}

async function decodeCar(block: ServedBlock, options: CarWriterOptions = {}): Promise<Decoded> {
  const read = await readOne(carBlockOf(SLOT, block), options)
  if (read.block === undefined || !('decoded' in read.block))
    throw new Error('expected a decoded block')
  return read.block.decoded
}

const decodeNode = (block: ServedBlock): Decoded => {
  const read = readRpcBlock(block, SLOT)
  if (read === undefined) throw new Error('expected a block')
  return decodeBlock(read)
}

const LAYOUTS: readonly CarWriterOptions[] = [
  {},
  { index: 'absent', hasRewards: false, header: 'empty', frameBytes: 700 },
  { index: 'null', subsets: 'end', frameBytes: 97, checksum: 'fnv64' },
  { subsets: 'none', header: 'empty', frameBytes: 300, checksum: 'none', transactionsOfEntry: 1 },
]

test('the recorded block has the same events, rejects and mismatches in every layout of a file', async (t) => {
  const expected = decodeNode(BLOCK)
  for (const options of LAYOUTS) {
    const decoded = await decodeCar(BLOCK, options)
    t.deepEqual(linesOf(decoded), linesOf(expected))
    t.is(decoded.events.length, 133)
    t.deepEqual(decoded.rejects, expected.rejects)
    t.deepEqual(decoded.mismatches, expected.mismatches)
    t.is(decoded.transactionCount, BLOCK.transactions.length)
  }
})

test('a CAR file of each recorded transaction gives the same events and rejects', async (t) => {
  const venues = new Set<unknown>()
  let count = 0
  for (const [file, transaction] of singleTransactions()) {
    const block = { ...BLOCK, transactions: [transaction] }
    const expected = decodeNode(block)
    const decoded = await decodeCar(block)
    t.deepEqual(linesOf(decoded), linesOf(expected), file)
    t.deepEqual(decoded.rejects, expected.rejects, file)
    for (const event of expected.events) if (event.kind === 'swap') venues.add(event.swap.dex)
    count++
  }
  t.true(count >= 50, `${count} transactions`)
  t.is(venues.size, 10)
})

test('a block states its slot, its time and its link', async (t) => {
  const { slot, block, link } = await readOne(carBlockOf(SLOT, BLOCK))
  t.is(slot, SLOT)
  t.is(block?.timestamp, (BLOCK.blockTime ?? 0) * 1_000)
  const { blockhash, parentSlot } = BLOCK
  t.deepEqual(link, { blockhash, parentSlot, parentBlockhash: '' })
  const timeless = await readOne(carBlockOf(SLOT, { ...BLOCK, blockTime: null, transactions: [] }))
  t.is(timeless.block?.timestamp, undefined)
})

const SWAPS = BLOCK.transactions.filter((entry) => {
  return decodeNode({ ...BLOCK, transactions: [entry] }).events.length > 0
})

/** A hundred transactions of venues, of which so many have been changed. */
function hundred(lacking: number, change: (meta: Json) => Json): WrittenBlock {
  const transactions = Array.from({ length: 100 }, (_, at) => SWAPS[at % 50] as Json)
  return carBlockOf(SLOT, { ...BLOCK, transactions }, (meta, index) =>
    index < lacking ? change(meta) : meta,
  )
}

const bare = (meta: Json): Json => ({ ...meta, logMessages: [], innerInstructions: [] })

test('a block of which more than one in a hundred calls was not recorded is a gap', async (t) => {
  const one = await readOne(hundred(1, bare))
  t.is(one.gapReason, undefined)
  t.is(one.unread?.length, 1)
  t.regex(one.unread?.[0]?.reason ?? '', /lacks innerInstructions/)
  const two = await readOne(hundred(2, bare))
  t.regex(
    two.gapReason ?? '',
    /^2 of \d+ transactions of venues cannot be decoded: its result lacks/,
  )
})

test('a result that is empty, not packed, or no protobuf is counted, and costs only itself', async (t) => {
  const whole = await readOne(hundred(0, bare))
  const packed = hundred(0, bare)
  const cases: [meta: Buffer, reason: RegExp][] = [
    [Buffer.alloc(0), /was not recorded/],
    [Buffer.from('no frame'), /cannot be unpacked/],
    [(packed.transactions[0]?.meta ?? Buffer.alloc(0)).subarray(0, 40), /cannot be unpacked/],
  ]
  for (const [meta, reason] of cases) {
    const [first, ...rest] = packed.transactions
    const changed = {
      ...packed,
      transactions: [{ message: first?.message as Buffer, meta }, ...rest],
    }
    const read = await readOne(changed)
    t.regex(read.unread?.[0]?.reason ?? '', reason)
    t.true(eventCount(read) < eventCount(whole) && eventCount(read) > 0)
  }
})

const eventCount = ({ block }: SlotBlock): number =>
  block !== undefined && 'decoded' in block ? block.decoded.events.length : 0
