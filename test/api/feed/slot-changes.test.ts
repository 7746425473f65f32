/** Names of cached answers as of a slot, by the newest message of FEED with an event at or below it. */
import test from 'ava'
import fc from 'fast-check'
import { FeedBatch } from '../../../api/feed/log/batch.ts'
import { SlotChanges } from '../../../api/feed/slot-changes.ts'
import type { FeedEvent } from '../../../streams/codec/event-codec.ts'
import { SWAP } from '../../support/events/sample-event.ts'

const eventAt = (slot: number): FeedEvent => ({
  ...{ kind: 'swap', priceImpactBps: null, walletTags: 0, poolPrice: 0, bytes: undefined },
  swap: { ...SWAP, slot },
})

/** FEED in memory from `first` on. */
function feedOf(epoch = 'a', head = 0) {
  const batches: FeedBatch[] = []
  const feed = {
    ...{ epoch, first: head + 1 },
    head: () => head + batches.length,
    held: (sequence: number, count: number) =>
      sequence < feed.first
        ? undefined
        : batches.slice(sequence - head - 1, sequence - head - 1 + count),
    publish: (...slots: number[]) => {
      batches.push(FeedBatch.ofStored(feed.head() + 1, slots.map(eventAt)))
    },
  }
  return feed
}

test('a name is the newest message with an event at or below the slot', (t) => {
  const feed = feedOf('a', 40)
  const changes = new SlotChanges(feed)
  t.is(changes.nameFor(100), 'a-40')
  feed.publish(101, 102)
  t.deepEqual(
    [100, 101, 102, 103].map((slot) => changes.nameFor(slot)),
    ['a-40', 'a-41', 'a-41', 'a-41'],
  )
  feed.publish(103)
  feed.publish()
  t.deepEqual(
    [100, 102, 103].map((slot) => changes.nameFor(slot)),
    ['a-40', 'a-41', 'a-42'],
  )
  // A late event: of slot 101 and of all later ones.
  feed.publish(101)
  t.deepEqual(
    [100, 101, 200].map((slot) => changes.nameFor(slot)),
    ['a-40', 'a-44', 'a-44'],
  )
})

test('after messages that are not in memory, and in another epoch, every slot has another name', (t) => {
  const feed = feedOf()
  const changes = new SlotChanges(feed)
  feed.publish(5)
  t.is(changes.nameFor(4), 'a-0')
  for (const slot of [6, 7, 8]) feed.publish(slot)
  feed.first = 4
  t.is(changes.nameFor(4), 'a-4')
  feed.epoch = 'b'
  t.is(changes.nameFor(4), 'b-4')
})

test('a name changes with every message that has an event at or below the slot, and with no other', (t) => {
  const slots = fc.integer({ min: 0, max: 40 })
  fc.assert(
    fc.property(
      fc.array(fc.array(slots, { maxLength: 3 })),
      slots,
      fc.nat(5),
      (messages, slot, step) => {
        const feed = feedOf()
        const changes = new SlotChanges(feed)
        let newest = 0
        for (const [n, message] of messages.entries()) {
          feed.publish(...message)
          if (message.some((each) => each <= slot)) newest = n + 1
          if (step === 0 || n % step === 0) t.is(changes.nameFor(slot), `a-${newest}`)
        }
        t.is(changes.nameFor(slot), `a-${newest}`)
      },
    ),
  )
})

test('it forgets the lowest of very many slots, whose name may only rise', (t) => {
  const feed = feedOf()
  const changes = new SlotChanges(feed)
  for (let slot = 1; slot <= 12_000; slot += 1) feed.publish(slot)
  t.is(changes.nameFor(11_000), 'a-11000')
  const low = Number(changes.nameFor(10).split('-')[1])
  t.true(low >= 10 && low < 6_000, `${low}`)
})
