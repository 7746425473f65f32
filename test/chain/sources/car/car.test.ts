/**
 * CAR files as bytes: every layout, every truncation and every kind of damage. Blocks before a damage are yielded, and the
 * error names the byte and the slot.
 */
import { CarBlockIterator } from '@ipld/car'
import { decode } from '@ipld/dag-cbor'
import test from 'ava'
import { readCarBlocks } from '../../../../chain/sources/car/format/read-blocks.ts'
import { type CarFileInput, carSource } from '../../../../chain/sources/car.ts'
import type { Event } from '../../../../domain/events/event.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { SourceError, type SourceNotice } from '../../../../streams/sources/source.ts'
import { carOf } from '../../../support/chain/car/car-form.ts'
import {
  cidOf,
  varint,
  type WrittenBlock,
  writeCar,
} from '../../../support/chain/car/car-writer.ts'
import { printed } from '../../../support/chain/read-through.ts'
import { eventsOfChain, FIRST_SLOT, makeChain } from '../../../support/chain/served-chain.ts'
import { WrittenChain } from '../../../support/chain/written-chain.ts'
import { freshSeed, requestedSeed } from '../../../support/seed.ts'
import { inputOf } from './car-cases.ts'

const CHAIN = makeChain({ slots: 12, transactions: 6, skipShare: 0.3 })
const CAR = carOf(CHAIN)

type Read = { events: Event[]; slots: number[]; notices: SourceNotice[]; error: string | undefined }

async function readAll(input: CarFileInput): Promise<Read> {
  const read: Read = { events: [], slots: [], notices: [], error: undefined }
  const warn = (text: string): void => void read.notices.push(noticeOf(text))
  try {
    const source = carSource({ input, onWarning: warn })
    for await (const batch of source.open(undefined, new AbortController().signal)) {
      read.events.push(...batch.events)
      read.notices.push(...batch.notices)
      if (batch.units > 0) read.slots.push(Number(batch.cursor))
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    if (error.isRetryable) throw new Error(`retryable: ${error.message}`)
    read.error = error.message
  }
  return read
}

const noticeOf = (text: string): SourceNotice => ({
  kind: 'left_out',
  at: text,
  reasons: [],
})

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

test('reads all slots in order, skipped ones too, whatever the size of chunks', async (t) => {
  const expected = printed(eventsOfChain(CHAIN))
  const { bytes } = CAR
  for (const size of [1, 7, 40, 4_096, bytes.length]) {
    const open = async () =>
      (async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      })()
    const read = await readAll({ name: 'x', bytesTotal: () => undefined, open })
    t.is(read.error, undefined)
    t.is(printed(read.events), expected)
    t.deepEqual(read.slots, range(CHAIN.from, CHAIN.to))
  }
})

test('a general library reads the same nodes from what the writer makes', async (t) => {
  const iterator = await CarBlockIterator.fromBytes(CAR.bytes)
  const roots = await iterator.getRoots()
  const kinds = new Map<number, number>()
  let last = ''
  for await (const { cid, bytes } of iterator) {
    // Lists of subsets are written with a longer length than needed, which a strict reader refuses.
    const kind = bytes[1] as number
    if (kind !== 3) t.is((decode(bytes) as unknown[])[0], kind)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    last = cid.toString()
  }
  t.is(roots[0]?.toString(), last)
  t.is(kinds.get(2), CHAIN.blocks.size)
  let [blocks, transactions] = [0, 0]
  const end = { isWhole: false }
  const input = { name: 'x', start: 0, bytes: await inputOf(CAR.bytes).open(NEVER) }
  for await (const block of readCarBlocks(input, end)) {
    blocks++
    transactions += block.transactions.length
  }
  t.deepEqual([blocks, transactions, end.isWhole], [kinds.get(2), kinds.get(0), true])
})

const NEVER = new AbortController().signal

test('every truncation is an error that names the file, and loses nothing before it', async (t) => {
  const small = makeChain({ slots: 3, transactions: 1, skipShare: 0 })
  const { bytes, rows } = carOf(small)
  const ends = [...rows].map(([slot, { start, length }]) => ({ slot, end: start + length }))
  for (let length = 0; length < bytes.length; length++) {
    const { slots, error } = await readAll(inputOf(bytes.subarray(0, length)))
    const whole = ends.filter(({ end }) => end <= length).map(({ slot }) => slot)
    if (slots.join() !== whole.join()) t.deepEqual(slots, whole, `${length} bytes`)
    if (!/^test.car: byte \d+, (after slot \d+|before its first block): it /.test(error ?? '')) {
      t.fail(`${length} bytes: ${error}`)
    }
  }
  const whole = await readAll(inputOf(bytes))
  t.is(whole.error, undefined)
})

test('damaged bytes are an error, never other events', async (t) => {
  const seed = requestedSeed() ?? freshSeed()
  t.log(`seed ${seed}`)
  const prng = new Prng([seed])
  const expected = printed(eventsOfChain(CHAIN))
  for (let run = 0; run < 200; run++) {
    const bytes = Buffer.from(CAR.bytes)
    const at = Math.floor(prng.unit() * bytes.length)
    bytes[at] = (bytes[at] as number) ^ (1 << Math.floor(prng.unit() * 8))
    const { events, error } = await readAll(inputOf(bytes))
    t.not(error, undefined, `byte ${at}`)
    if (!expected.startsWith(printed(events))) t.fail(`byte ${at}: other events`)
  }
})

/** Sections of a file as its length, its CID and its node. */
function nodesOf(bytes: Buffer): { section: Buffer; node: Buffer }[] {
  const nodes: { section: Buffer; node: Buffer }[] = []
  for (let at = 0; at < bytes.length; ) {
    let [length, shift, next] = [0, 0, at]
    for (;;) {
      const byte = bytes[next++] as number
      length += (byte & 0x7f) * 2 ** shift
      shift += 7
      if (byte < 0x80) break
    }
    const section = bytes.subarray(at, next + length)
    nodes.push({ section, node: bytes.subarray(next + 36, next + length) })
    at = next + length
  }
  return nodes
}

const sectionOf = (node: Buffer): Buffer =>
  Buffer.concat([varint(36 + node.length), cidOf(node), node])

test('each kind of wrong node is named', async (t) => {
  const [header, ...nodes] = nodesOf(CAR.bytes)
  const sections = nodes.map(({ section }) => section)
  const at = (kind: number, from = 0): number =>
    nodes.findIndex(({ node }, index) => index >= from && node[1] === kind)
  const join = (parts: readonly Buffer[]): Buffer =>
    Buffer.concat([header?.section ?? Buffer.alloc(0), ...parts])
  const without = (index: number): Buffer => join(sections.toSpliced(index, 1))
  const second = at(2) + 1
  const cases: [name: string, bytes: Buffer, error: RegExp][] = [
    ['a transaction is missing', without(at(0)), /links a transaction that is not before it/],
    ['an entry is missing', without(at(1)), /links an entry that is not before it/],
    [
      'a block is missing',
      join(sections.filter((_, index) => index < second || index > at(2, second))),
      /its parent, slot \d+, is missing: the block before it is that of slot \d+/,
    ],
    [
      'a node is left over',
      join(sections.toSpliced(0, 0, sections[at(0, second)] as Buffer)),
      /does not link 1 of the nodes before it/,
    ],
    [
      'an unknown kind',
      join([sectionOf(Buffer.from([0x81, 9])), ...sections]),
      /byte \d+, before its first block: a node cannot be read: a node of kind 9/,
    ],
    ['no list', join([sectionOf(Buffer.from([0x01])), ...sections]), /a node cannot be read/],
    ['an empty section', join([Buffer.from([0]), ...sections]), /a section is empty/],
    [
      'a length without an end',
      join([Buffer.alloc(8, 0xff), ...sections]),
      /its length is damaged/,
    ],
    [
      'another CID',
      join([Buffer.concat([varint(40), Buffer.from([1, 0x55, 0x12, 0x20]), Buffer.alloc(36)])]),
      /no CID of a known kind/,
    ],
    [
      'no CAR file',
      Buffer.from('{"kind":"swap"}\n{"kind":"swap"}\n'),
      /byte \d+, before its first/,
    ],
    [
      'version 2',
      Buffer.from('0aa16776657273696f6e02', 'hex'),
      /no CAR file of version 1: its header has version 2/,
    ],
    ['nothing', Buffer.alloc(0), /it is empty/],
  ]
  for (const [name, bytes, error] of cases) {
    const read = await readAll(inputOf(bytes))
    t.regex(read.error ?? '', error, name)
    t.true(printed(eventsOfChain(CHAIN)).startsWith(printed(read.events)), name)
  }
})

test('blocks that are out of order or doubled are an error', async (t) => {
  const blocks = [block(FIRST_SLOT), block(FIRST_SLOT + 1), block(FIRST_SLOT + 2)]
  const [one, two, three] = blocks as [WrittenBlock, WrittenBlock, WrittenBlock]
  const doubled = await readAll(inputOf(writeCar([one, two, two]).bytes))
  t.regex(doubled.error ?? '', /expected ascending slots/)
  const swapped = await readAll(inputOf(writeCar([one, three, two]).bytes))
  t.regex(swapped.error ?? '', /is missing/)
})

const block = (slot: number): WrittenBlock => ({
  slot,
  parentSlot: slot - 1,
  blockhash: '4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn',
  blockTime: 1,
  transactions: [],
})

test('epochs whose results are bincode are refused, and incomplete ones are warned of', async (t) => {
  const early = await readAll(inputOf(writeCar([block(39 * 432_000 + 5)]).bytes))
  t.regex(early.error ?? '', /^test.car: epoch 39 has the results of its transactions as bincode/)
  const incomplete = await readAll(inputOf(writeCar([block(208 * 432_000 + 5)]).bytes))
  t.is(incomplete.error, undefined)
  t.regex(incomplete.notices[0]?.at ?? '', /^test.car: epoch 208: .*incomplete/)
})

test('reads an encoded market of all venues as the chain states it', async (t) => {
  const chain = new WrittenChain({ seed: requestedSeed() ?? 7, swaps: 1_500, swapsPerSlot: 40 })
  const { bytes } = carOf(chain, { frameBytes: 400, index: 'absent' })
  const read = await readAll(inputOf(bytes))
  t.is(read.error, undefined)
  t.true(printed(read.events) === printed(eventsOfChain(chain)), `${read.events.length} events`)
  t.deepEqual(read.notices, [])
})
