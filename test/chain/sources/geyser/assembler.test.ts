/** The assembler of blocks, rule by rule; any-order.test.ts has the property of all of them. */
import test from 'ava'
import { ChainLinks } from '../../../../chain/sources/blocks/chain-links.ts'
import { BlockAssembler } from '../../../../chain/sources/geyser/assembler.ts'
import type { BlockUpdate } from '../../../../chain/sources/geyser/update.ts'
import { AssembledSlots } from '../../../support/chain/geyser/assembled-slots.ts'
import {
  drawOf,
  fetchedSlot,
  type ModelBlock,
  type ModelChain,
  modelBlock,
  slotUpdate,
  transactionUpdates,
  updatesOfBlock,
} from '../../../support/chain/geyser/model-chain.ts'

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
  const reader = new AssembledSlots(chainOf(blocks), 9)
  const [created, ...rest] = updatesOfBlock(blocks[0] as ModelBlock)
  for (const update of [created as BlockUpdate, ...rest.slice(0, -1)]) reader.push(update)
  t.deepEqual(reader.slots, [])
  reader.push(rest.at(-1) as BlockUpdate)
  t.deepEqual(reader.slots, [10])
  t.is(reader.assembler.fill, 0)
})

test('waits for the finalized status where that is the commitment', (t) => {
  const [block] = blocksAt(10) as [ModelBlock]
  const assembler = new BlockAssembler({
    commitment: 'finalized',
    after: 9,
    links: new ChainLinks(),
  })
  for (const update of updatesOfBlock(block)) assembler.push(update)
  t.is(assembler.next(), undefined)
  t.true(assembler.push(slotUpdate(10, 'SLOT_FINALIZED')))
  t.like(assembler.next(), { kind: 'slot', slotBlock: { slot: 10 } })
})

test('yields slots between a block and its parent as skipped, and none that lacks that proof', (t) => {
  const blocks = blocksAt(10, 13)
  const reader = new AssembledSlots(chainOf(blocks), 9)
  reader.push(
    ...updatesOfBlock(blocks[0] as ModelBlock),
    slotUpdate(11, 'SLOT_DEAD'),
    slotUpdate(12, 'SLOT_COMPLETED'),
  )
  t.deepEqual(reader.slots, [10])
  reader.push(...updatesOfBlock(blocks[1] as ModelBlock))
  t.deepEqual(reader.slots, [10, 11, 12, 13])
  t.regex(reader.yielded[1]?.printed ?? '', /^\[11,null/)
})

test('treats the ancestors of a confirmed slot as confirmed', (t) => {
  const blocks = blocksAt(10, 11)
  const reader = new AssembledSlots(chainOf(blocks), 9)
  const [first, second] = blocks as [ModelBlock, ModelBlock]
  reader.push(...updatesOfBlock(first).slice(0, -1))
  t.deepEqual(reader.slots, [])
  reader.push(...updatesOfBlock(second))
  t.deepEqual(reader.slots, [10, 11])
})

test('begins with the first complete block where it has nothing to resume after', (t) => {
  const blocks = blocksAt(10, 11, 12)
  const reader = new AssembledSlots(chainOf(blocks))
  const [first, second, third] = blocks as [ModelBlock, ModelBlock, ModelBlock]
  reader.push(
    slotUpdate(3, 'SLOT_FINALIZED', 2),
    ...updatesOfBlock(first).slice(3),
    ...updatesOfBlock(second),
  )
  reader.push(...updatesOfBlock(third))
  t.deepEqual(reader.slots, [11, 12])
  t.deepEqual(reader.fetched, [])
})

test('fetches at once what was never sent, up to the first slot of the stream', (t) => {
  const blocks = blocksAt(10, 11, 12, 13, 14)
  const reader = new AssembledSlots(chainOf(blocks), 10)
  for (const block of blocks.slice(3)) reader.push(...updatesOfBlock(block))
  t.deepEqual(reader.slots, [11, 12, 13, 14])
  t.deepEqual(reader.fetched, [11])
})

test('fetches a slot whose count is not met once eight blocks came after it', (t) => {
  const blocks = blocksAt(10, 11, 12, 13, 14, 15, 16, 17, 18, 19)
  const reader = new AssembledSlots(chainOf(blocks), 9)
  const [first, ...rest] = blocks as [ModelBlock, ...ModelBlock[]]
  const lost = updatesOfBlock(first).findIndex(({ kind }) => kind === 'executed')
  reader.push(...updatesOfBlock(first).toSpliced(lost, 1))
  for (const block of rest.slice(0, 7)) reader.push(...updatesOfBlock(block))
  t.deepEqual(reader.slots, [])
  for (const block of rest.slice(7)) reader.push(...updatesOfBlock(block))
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
  const reader = new AssembledSlots(chainOf(blocks), 9)
  reader.push(...transactionUpdates(other), ...updatesOfBlock(first))
  t.deepEqual(reader.fetched, [10])
  t.deepEqual(reader.slots, [10])
})

test('takes back blocks that the chain left, the newest first', (t) => {
  const trunk = blocksAt(10, 11, 12)
  const branch = [modelBlock(13, trunk[0] as ModelBlock, drawOf(1))]
  branch.push(modelBlock(14, branch[0] as ModelBlock, drawOf(2)))
  const reader = new AssembledSlots(chainOf([trunk[0] as ModelBlock, ...branch]), 9)
  for (const block of trunk) reader.push(...updatesOfBlock(block))
  t.deepEqual(reader.slots, [10, 11, 12])
  for (const block of branch) reader.push(...updatesOfBlock(block))
  t.deepEqual(reader.forks, [12, 11])
  t.deepEqual(reader.slots, [10, 11, 12, 13, 14])
  t.regex(reader.yielded[1]?.printed ?? '', /^\[11,null/)
})

test('takes back a block that died once the next block proves it, and not before', (t) => {
  const trunk = blocksAt(10, 11)
  const child = modelBlock(12, trunk[0] as ModelBlock, drawOf(5))
  const reader = new AssembledSlots(chainOf([trunk[0] as ModelBlock, child]), 9)
  for (const block of trunk) reader.push(...updatesOfBlock(block))
  reader.push(slotUpdate(11, 'SLOT_DEAD'))
  t.deepEqual([reader.forks, reader.slots], [[], [10, 11]])
  reader.push(...updatesOfBlock(child))
  t.deepEqual([reader.forks, reader.slots], [[11], [10, 11, 12]])
})

test('takes back a block after a reconnect too', (t) => {
  const trunk = blocksAt(10, 11)
  const other = modelBlock(11, trunk[0] as ModelBlock, drawOf(3))
  const child = modelBlock(12, other, drawOf(4))
  const reader = new AssembledSlots(chainOf([trunk[0] as ModelBlock, other, child]), 9)
  for (const block of trunk) reader.push(...updatesOfBlock(block))
  reader.reopen()
  reader.push(...updatesOfBlock(child))
  t.deepEqual(reader.forks, [11])
  t.deepEqual(reader.slots, [10, 11, 12])
})

test('reads a slot again that was passed over as skipped and is the parent of a block, once', (t) => {
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
  t.deepEqual(assembler.next(), { kind: 'unskipped', slot: 11 })
  t.is(assembler.done, 10)
  t.true(assembler.accept({ slot: second.slot, block: undefined }))
  t.false(assembler.accept(fetchedSlot({ slot: 12, block: third })))
  t.deepEqual(assembler.next(), { kind: 'contradiction', slot: 11, child: 12 })
})

test('skips slots that no node can deliver', (t) => {
  const blocks = blocksAt(20, 21)
  const assembler = new BlockAssembler({
    commitment: 'confirmed',
    after: 9,
    links: new ChainLinks(),
  })
  for (const block of blocks) for (const update of updatesOfBlock(block)) assembler.push(update)
  t.deepEqual(assembler.next(), { kind: 'fetch', from: 10, to: 19 })
  assembler.skipTo(19)
  t.like(assembler.next(), { kind: 'slot', slotBlock: { slot: 20 } })
})
