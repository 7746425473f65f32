/**
 * Blocks from updates: rules one by one, and by property: whatever the order, the duplicates, the losses and the cuts,
 * the same slots come out, each once, in order.
 */
import assert from 'node:assert/strict'
import test from 'ava'
import fc from 'fast-check'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { BlockAssembler } from '../../../../streams/solana/geyser/assembler.ts'
import { ChainLinks } from '../../../../streams/solana/geyser/chain-links.ts'
import type { BlockUpdate } from '../../../../streams/solana/geyser/update.ts'
import {
  type Draw,
  fetchedSlot,
  type ModelBlock,
  type ModelChain,
  metaUpdate,
  modelBlock,
  modelChain,
  printSlot,
  slotUpdate,
  transactionUpdates,
} from '../../../support/chain/model-chain.ts'
import { askedSeed } from '../../../support/seed.ts'

const drawOf = (seed: number): Draw => {
  const prng = new Prng([seed])
  return (below) => prng.below(below)
}

/** Reads an assembler as a source does, fetching from the model. */
class Reader {
  readonly links = new ChainLinks()
  readonly yielded: { slot: number; printed: string }[] = []
  readonly fetched: number[] = []
  readonly forks: number[] = []
  readonly #chain: ModelChain
  readonly #after: number | undefined
  readonly #bytesMax: number | undefined
  assembler: BlockAssembler

  constructor(chain: ModelChain, after?: number, bytesMax?: number) {
    this.#chain = chain
    this.#after = after
    this.#bytesMax = bytesMax
    this.assembler = this.#open(after)
  }

  #open(after: number | undefined): BlockAssembler {
    const bound = this.#bytesMax === undefined ? {} : { bytesMax: this.#bytesMax }
    return new BlockAssembler({ commitment: 'confirmed', after, links: this.links, ...bound })
  }

  reopen(): void {
    this.assembler = this.#open(this.yielded.at(-1)?.slot ?? this.#after)
  }

  push(...updates: readonly BlockUpdate[]): void {
    for (const update of updates) if (this.assembler.push(update)) this.read()
    this.read()
  }

  read(): void {
    for (;;) {
      const next = this.assembler.next()
      switch (next?.kind) {
        case undefined:
          return
        case 'slot':
          this.#take(next.slotBlock.slot, printSlot(next.slotBlock))
          break
        case 'fetch':
          this.#fetch(next.from, next.to)
          break
        case 'fork':
          this.forks.push(next.slot)
          this.#takeBack(next.slot)
          break
        case 'contradiction':
          throw new Error(`slot ${next.slot} was skipped and is the parent of ${next.child}`)
      }
    }
  }

  #fetch(from: number, to: number): void {
    this.fetched.push(from)
    for (const model of this.#chain.slots) {
      if (model.slot < from || model.slot > to) continue
      const slotBlock = fetchedSlot(model)
      if (!this.assembler.accept(slotBlock)) return
      this.#take(model.slot, printSlot(slotBlock))
    }
  }

  /** Slots that were skipped before the block may have one on the other branch: they come again. */
  #takeBack(slot: number): void {
    while ((this.yielded.at(-1)?.slot ?? 0) >= slot) this.yielded.pop()
    while (this.yielded.at(-1)?.printed.includes(',null,null,') === true) this.yielded.pop()
  }

  #take(slot: number, printed: string): void {
    this.yielded.push({ slot, printed })
  }

  get slots(): number[] {
    return this.yielded.map(({ slot }) => slot)
  }
}

const allOf = (block: ModelBlock): BlockUpdate[] => [
  slotUpdate(block.slot, 'SLOT_CREATED_BANK', block.parentSlot),
  ...transactionUpdates(block),
  metaUpdate(block),
  slotUpdate(block.slot, 'SLOT_CONFIRMED', block.parentSlot),
]

/** Blocks on each other, at slots that are given. */
function blocksAt(...slots: number[]): ModelBlock[] {
  const draw = drawOf(29)
  const blocks: ModelBlock[] = []
  let parent = { slot: (slots[0] ?? 1) - 1, blockhash: 'before' }
  for (const slot of slots) {
    const block = modelBlock(slot, parent, draw)
    while (block.transactions.length < 2) {
      block.transactions.push({ signature: Uint8Array.of(slot), isWanted: true })
    }
    blocks.push(block)
    parent = block
  }
  return blocks
}

const chainOf = (blocks: readonly ModelBlock[]): ModelChain => ({
  slots: blocks.map((block) => ({ slot: block.slot, block })),
  abandoned: [],
})

test('yields a block when its count is met and its slot is confirmed, not before', (t) => {
  const blocks = blocksAt(10)
  const reader = new Reader(chainOf(blocks), 9)
  const [created, ...rest] = allOf(blocks[0] as ModelBlock)
  for (const update of [created as BlockUpdate, ...rest.slice(0, -1)]) reader.push(update)
  t.deepEqual(reader.slots, [])
  reader.push(rest.at(-1) as BlockUpdate)
  t.deepEqual(reader.slots, [10])
  t.is(reader.assembler.bytes, 0)
})

test('waits for the finalized status where that is asked for', (t) => {
  const [block] = blocksAt(10) as [ModelBlock]
  const assembler = new BlockAssembler({
    commitment: 'finalized',
    after: 9,
    links: new ChainLinks(),
  })
  for (const update of allOf(block)) assembler.push(update)
  t.is(assembler.next(), undefined)
  t.true(assembler.push(slotUpdate(10, 'SLOT_FINALIZED')))
  t.like(assembler.next(), { kind: 'slot', slotBlock: { slot: 10 } })
})

test('yields slots between a block and its parent as skipped, and none that lacks that proof', (t) => {
  const blocks = blocksAt(10, 13)
  const reader = new Reader(chainOf(blocks), 9)
  reader.push(
    ...allOf(blocks[0] as ModelBlock),
    slotUpdate(11, 'SLOT_DEAD'),
    slotUpdate(12, 'SLOT_COMPLETED'),
  )
  t.deepEqual(reader.slots, [10])
  reader.push(...allOf(blocks[1] as ModelBlock))
  t.deepEqual(reader.slots, [10, 11, 12, 13])
  t.regex(reader.yielded[1]?.printed ?? '', /^\[11,null/)
})

test('treats the ancestors of a confirmed slot as confirmed', (t) => {
  const blocks = blocksAt(10, 11)
  const reader = new Reader(chainOf(blocks), 9)
  const [first, second] = blocks as [ModelBlock, ModelBlock]
  reader.push(...allOf(first).slice(0, -1))
  t.deepEqual(reader.slots, [])
  reader.push(...allOf(second))
  t.deepEqual(reader.slots, [10, 11])
})

test('begins with the first complete block where it has nothing to resume after', (t) => {
  const blocks = blocksAt(10, 11, 12)
  const reader = new Reader(chainOf(blocks))
  const [first, second, third] = blocks as [ModelBlock, ModelBlock, ModelBlock]
  reader.push(slotUpdate(3, 'SLOT_FINALIZED', 2), ...allOf(first).slice(3), ...allOf(second))
  reader.push(...allOf(third))
  t.deepEqual(reader.slots, [11, 12])
  t.deepEqual(reader.fetched, [])
})

test('fetches at once what was never sent, up to the first slot of the stream', (t) => {
  const blocks = blocksAt(10, 11, 12, 13, 14)
  const reader = new Reader(chainOf(blocks), 10)
  for (const block of blocks.slice(3)) reader.push(...allOf(block))
  t.deepEqual(reader.slots, [11, 12, 13, 14])
  t.deepEqual(reader.fetched, [11])
})

test('fetches a slot whose count is not met once eight blocks came after it', (t) => {
  const blocks = blocksAt(10, 11, 12, 13, 14, 15, 16, 17, 18, 19)
  const reader = new Reader(chainOf(blocks), 9)
  const [first, ...rest] = blocks as [ModelBlock, ...ModelBlock[]]
  const lost = allOf(first).findIndex(({ kind }) => kind === 'executed')
  reader.push(...allOf(first).toSpliced(lost, 1))
  for (const block of rest.slice(0, 7)) reader.push(...allOf(block))
  t.deepEqual(reader.slots, [])
  for (const block of rest.slice(7)) reader.push(...allOf(block))
  t.deepEqual(reader.fetched, [10])
  t.deepEqual(
    reader.slots,
    blocks.map(({ slot }) => slot),
  )
})

test('fetches a slot of which two versions came', (t) => {
  const blocks = blocksAt(10, 11)
  const [first, second] = blocks as [ModelBlock, ModelBlock]
  const other = { ...first, transactions: second.transactions }
  const reader = new Reader(chainOf(blocks), 9)
  reader.push(...transactionUpdates(other), ...allOf(first))
  t.deepEqual(reader.fetched, [10])
  t.deepEqual(reader.slots, [10])
})

test('takes back blocks that the chain left, the newest first', (t) => {
  const trunk = blocksAt(10, 11, 12)
  const branch = [modelBlock(13, trunk[0] as ModelBlock, drawOf(1))]
  branch.push(modelBlock(14, branch[0] as ModelBlock, drawOf(2)))
  const reader = new Reader(chainOf([trunk[0] as ModelBlock, ...branch]), 9)
  for (const block of trunk) reader.push(...allOf(block))
  t.deepEqual(reader.slots, [10, 11, 12])
  for (const block of branch) reader.push(...allOf(block))
  t.deepEqual(reader.forks, [12, 11])
  t.deepEqual(reader.slots, [10, 11, 12, 13, 14])
  t.regex(reader.yielded[1]?.printed ?? '', /^\[11,null/)
})

test('takes back a block that turns out dead', (t) => {
  const trunk = blocksAt(10, 11)
  const reader = new Reader(chainOf(trunk), 9)
  for (const block of trunk) reader.push(...allOf(block))
  reader.push(slotUpdate(11, 'SLOT_DEAD'))
  t.deepEqual(reader.forks, [11])
  t.deepEqual(reader.slots, [10])
})

test('takes back a block after a reconnect too', (t) => {
  const trunk = blocksAt(10, 11)
  const other = modelBlock(11, trunk[0] as ModelBlock, drawOf(3))
  const child = modelBlock(12, other, drawOf(4))
  const reader = new Reader(chainOf([trunk[0] as ModelBlock, other, child]), 9)
  for (const block of trunk) reader.push(...allOf(block))
  reader.reopen()
  reader.push(...allOf(child))
  t.deepEqual(reader.forks, [11])
  t.deepEqual(reader.slots, [10, 11, 12])
})

test('names a block whose parent was passed over as skipped', (t) => {
  const trunk = blocksAt(10, 11, 12)
  const [first, second, third] = trunk as [ModelBlock, ModelBlock, ModelBlock]
  const assembler = new BlockAssembler({
    commitment: 'confirmed',
    after: 9,
    links: new ChainLinks(),
  })
  t.true(assembler.accept(fetchedSlot({ slot: 10, block: first })))
  t.true(assembler.accept({ slot: second.slot, block: undefined }))
  t.false(assembler.accept(fetchedSlot({ slot: 12, block: third })))
  t.deepEqual(assembler.next(), { kind: 'contradiction', slot: 11, child: 12 })
})

test('passes over slots that nobody can deliver', (t) => {
  const blocks = blocksAt(20, 21)
  const assembler = new BlockAssembler({
    commitment: 'confirmed',
    after: 9,
    links: new ChainLinks(),
  })
  for (const block of blocks) for (const update of allOf(block)) assembler.push(update)
  t.deepEqual(assembler.next(), { kind: 'fetch', from: 10, to: 19 })
  assembler.skipTo(19)
  t.like(assembler.next(), { kind: 'slot', slotBlock: { slot: 20 } })
})

/** The updates of a chain in a server's order, abandoned blocks before what became of their slots. */
function updatesOf(chain: ModelChain): BlockUpdate[] {
  const abandoned = new Map(chain.abandoned.map((block) => [block.slot, block]))
  return chain.slots.flatMap(({ slot, block }) => {
    const lost = abandoned.get(slot)
    const before =
      lost === undefined
        ? []
        : [...transactionUpdates(lost), metaUpdate(lost), slotUpdate(slot, 'SLOT_DEAD')]
    return [...before, ...(block === undefined ? [] : allOf(block))]
  })
}

/** Moves each update by up to `distance` places. */
function shuffled(updates: readonly BlockUpdate[], distance: number, draw: Draw): BlockUpdate[] {
  return updates
    .map((update, at) => ({ update, at: at + draw(distance + 1) }))
    .sort((a, b) => a.at - b.at)
    .map(({ update }) => update)
}

/** What must come of a chain after a slot, up to its last block. */
const expectedAfter = (chain: ModelChain, after: number): string[] =>
  chain.slots.filter(({ slot }) => slot > after).map((each) => printSlot(fetchedSlot(each)))

const seed = askedSeed()
const runs = (numRuns: number) => ({ numRuns, ...(seed === undefined ? {} : { seed }) })
const chances = fc.record({
  seed: fc.nat(),
  length: fc.integer({ min: 1, max: 40 }),
  distance: fc.constantFrom(0, 3, 20, 1_000),
  /** One in so many updates comes twice, is lost, or is the last before a cut; 0: none. */
  twice: fc.constantFrom(0, 3),
  lost: fc.constantFrom(0, 4, 30),
  cut: fc.constantFrom(0, 7, 60),
  bytesMax: fc.constantFrom(undefined, 400, 4_000),
})

test('yields the same slots whatever the order, duplicates, losses, cuts and memory', (t) => {
  fc.assert(
    fc.property(chances, ({ seed, length, distance, twice, lost, cut, bytesMax }) => {
      const draw = drawOf(seed)
      const drawn = modelChain(length, draw)
      // Of two versions of one slot with losses, a transaction of one may stand in for a lost one of the other.
      const chain = lost + cut === 0 ? drawn : withoutVersions(drawn)
      const tail = modelChain(25, draw).slots
      const whole = { ...chain, slots: [...chain.slots, ...renumbered(tail, chain)] }
      const after = 999
      const reader = new Reader(whole, after, bytesMax)
      const stream = shuffled(updatesOf(chain), distance, draw)
      for (let at = 0; at < stream.length; at++) {
        if (lost > 0 && draw(lost) === 0) continue
        reader.push(stream[at] as BlockUpdate)
        if (twice > 0 && draw(twice) === 0) reader.push(stream[draw(at + 1)] as BlockUpdate)
        if (cut === 0 || draw(cut) > 0) continue
        reader.reopen()
        // The server goes on later, or sends once more what it sent before.
        at = Math.max(0, at + draw(30) - 15)
      }
      reader.push(...updatesOf({ ...whole, slots: whole.slots.slice(length), abandoned: [] }))
      const expected = expectedAfter(whole, after)
      const wrong = expected.findIndex((each, at) => each !== reader.yielded[at]?.printed)
      assert.equal(wrong, -1, `expected ${expected[wrong]}, got ${reader.yielded[wrong]?.printed}`)
      assert.equal(reader.yielded.length, expected.length)
    }),
    { ...runs(400), includeErrorInReport: true },
  )
  t.pass()
})

/** Abandoned blocks alone whose slot has no other. */
function withoutVersions({ slots, abandoned }: ModelChain): ModelChain {
  const skipped = new Set(slots.flatMap(({ slot, block }) => (block === undefined ? [slot] : [])))
  return { slots, abandoned: abandoned.filter(({ slot }) => skipped.has(slot)) }
}

/** Slots that go on after a chain. */
function renumbered(slots: ModelChain['slots'], chain: ModelChain): ModelChain['slots'] {
  const last = chain.slots.findLast(({ block }) => block !== undefined)?.block
  const first = (chain.slots.at(-1)?.slot ?? 999) + 1
  let parent = last ?? { slot: 999, blockhash: 'before' }
  return slots.map(({ block }, at) => {
    const slot = first + at
    if (block === undefined) return { slot, block }
    const moved = { ...block, slot, parentSlot: parent.slot, parentBlockhash: parent.blockhash }
    parent = moved
    return { slot, block: moved }
  })
}
