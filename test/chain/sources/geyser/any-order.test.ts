/** Whatever the order, the duplicates, the losses and the cuts, the same slots come out, each once, in order. */
import assert from 'node:assert/strict'
import test from 'ava'
import fc from 'fast-check'
import type { BlockUpdate } from '../../../../chain/sources/geyser/update.ts'
import { AssembledSlots } from '../../../support/chain/geyser/assembled-slots.ts'
import {
  type Draw,
  drawOf,
  fetchedSlot,
  type ModelChain,
  metaUpdate,
  modelChain,
  printSlot,
  slotUpdate,
  transactionUpdates,
  updatesOfBlock,
} from '../../../support/chain/geyser/model-chain.ts'
import { requestedSeed } from '../../../support/seed.ts'

/** The updates of a chain in a server's order, abandoned blocks before what became of their slots. */
function updatesOf(chain: ModelChain): BlockUpdate[] {
  const abandoned = new Map(chain.abandoned.map((block) => [block.slot, block]))
  return chain.slots.flatMap(({ slot, block }) => {
    const lost = abandoned.get(slot)
    const before =
      lost === undefined
        ? []
        : [...transactionUpdates(lost), metaUpdate(lost), slotUpdate(slot, 'SLOT_DEAD')]
    return [...before, ...(block === undefined ? [] : updatesOfBlock(block))]
  })
}

/** Moves each update by up to `distance` places. */
function shuffled(updates: readonly BlockUpdate[], distance: number, draw: Draw): BlockUpdate[] {
  return updates
    .map((update, at) => ({ update, at: at + draw(distance + 1) }))
    .sort((a, b) => a.at - b.at)
    .map(({ update }) => update)
}

/** The slots that a chain must yield after a slot, up to its last block. */
const expectedAfter = (chain: ModelChain, after: number): string[] =>
  chain.slots.filter(({ slot }) => slot > after).map((each) => printSlot(fetchedSlot(each)))

const seed = requestedSeed()
const runs = (numRuns: number) => ({ numRuns, ...(seed === undefined ? {} : { seed }) })
/** Updates of the first version come before the commitment of the second. */
const VERSIONS_DISTANCE_MAX = 3
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
      // Updates do not name their block. Where those of two versions of a slot are lost or mixed beyond the dead status
      // between them, a transaction of the first may stand for one of the second.
      const areVersionsApart = lost + cut === 0 && distance <= VERSIONS_DISTANCE_MAX
      const chain = areVersionsApart ? drawn : withoutVersions(drawn)
      const tail = modelChain(25, draw).slots
      const whole = { ...chain, slots: [...chain.slots, ...renumbered(tail, chain)] }
      const after = 999
      const reader = new AssembledSlots(whole, after, bytesMax)
      const stream = shuffled(updatesOf(chain), distance, draw)
      for (let at = 0; at < stream.length; at++) {
        if (lost > 0 && draw(lost) === 0) continue
        reader.push(stream[at] as BlockUpdate)
        if (twice > 0 && draw(twice) === 0) reader.push(stream[draw(at + 1)] as BlockUpdate)
        if (cut === 0 || draw(cut) > 0) continue
        reader.reopen()
        // The server continues later, or sends again what it sent before.
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
