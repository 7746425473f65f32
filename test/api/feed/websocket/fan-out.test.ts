/**
 * Fan-out of the newest messages: the look-up finds all subscriptions that testing each would find, with few tests, and
 * each receives the filtered log whenever one joins, leaves or changes its filter.
 */
import test from 'ava'
import fc from 'fast-check'
import {
  EVENT_CHANNELS,
  type EventChannel,
  type ParsedFilter,
  parseFilter,
} from '../../../../api/feed/filter.ts'
import { FeedBatch } from '../../../../api/feed/log/batch.ts'
import { FanOut } from '../../../../api/feed/websocket/fan-out.ts'
import { FilterLookup } from '../../../../api/feed/websocket/filter-lookup.ts'
import { type Matches, Subscription } from '../../../../api/feed/websocket/subscription.ts'
import { encodeFeedBatch } from '../../../../streams/codec/event-codec.ts'
import { POOL, poolOf } from '../../../support/events/sample-event.ts'
import { feedEvent } from '../../../support/feed/written-feed.ts'

const EPOCH = 'epoch'
const PARAMETERS = { numRuns: 200 }
const someOf = (values: readonly string[]) =>
  fc.option(fc.subarray([...values], { minLength: 1, maxLength: 3 }), { nil: undefined })

const givenFilter = fc
  .record({
    tokens: someOf([100, 101, 102, 103, 199].map(poolOf)),
    pools: someOf([POOL, ...[1, 2, 3, 4, 77].map(poolOf)]),
    wallets: someOf([200, 201, 202, 299].map(poolOf)),
    venues: someOf(['venue_1', 'venue_4', 'venue_9']),
    swap_type: fc.option(fc.constantFrom('buy', 'sell'), { nil: undefined }),
    min_sol: fc.option(fc.constantFrom(1, 1.000000015, 9_007_199), { nil: undefined }),
  })
  .map((given) => JSON.parse(JSON.stringify(given)) as object)
const requested = fc.record({ channel: fc.constantFrom(...EVENT_CHANNELS), given: givenFilter })

function subscriptionOf(name: string, channel: EventChannel, parsed: ParsedFilter, sequence = 0) {
  const wanted = { name, channel, parsed, form: 'number' as const, batchMs: 0 }
  return new Subscription(wanted, { sequence, eventCount: 0 })
}

/** A message with the events `from` to `to`. */
function batchOf(sequence: number, from: number, to: number): FeedBatch {
  const events = Array.from({ length: to - from }, (_, at) => feedEvent(from + at))
  const mark = { poolLane: 0, commitNumber: sequence, part: 0 }
  return new FeedBatch(sequence, encodeFeedBatch(mark, events))
}

test('the look-up finds the filters that testing all of them finds, each once', (t) => {
  fc.assert(
    fc.property(fc.array(requested, { maxLength: 30 }), fc.nat(30), (all, gone) => {
      const lookup = new FilterLookup<number>()
      const entries = all.map(({ channel, given }, entry) => {
        const { wanted, matches } = subscriptionOf('a', channel, parseFilter(given, channel, 'pro'))
        lookup.add(entry, wanted)
        return { entry, wanted, matches }
      })
      const left = entries.filter(({ entry }) => entry !== gone)
      const removed = entries[gone]
      if (removed !== undefined) lookup.delete(removed.entry, removed.wanted)
      for (let n = 0; n < 60; n++) {
        const event = feedEvent(n)
        const visited: number[] = []
        lookup.visit(event, (entry) => visited.push(entry))
        t.is(new Set(visited).size, visited.length)
        const found = visited.filter((entry) => entries[entry]!.matches(event))
        const expected = left.filter(({ matches }) => matches(event)).map(({ entry }) => entry)
        t.deepEqual(
          found.sort((a, b) => a - b),
          expected,
        )
      }
    }),
    PARAMETERS,
  )
})

test('a thousand subscriptions of a token each cost an event one test, not a thousand', (t) => {
  const fanOut = new FanOut(() => EPOCH)
  let tests = 0
  let delivered = 0
  for (let n = 0; n < 1_000; n++) {
    const parsed = parseFilter({ tokens: [poolOf(n)] }, 'swaps', 'pro')
    const subscription = subscriptionOf(`s${n}`, 'swaps', parsed)
    const { matches } = subscription
    const counted: Matches = (event) => {
      tests++
      return matches(event)
    }
    subscription.matches = counted
    fanOut.join(subscription, (pieces) => {
      delivered += pieces.reduce((sum, { count }) => sum + count, 0)
    })
  }
  fanOut.onBatch(batchOf(1, 0, 9))
  t.is(tests, 9)
  t.is(delivered, 9)
})

test('delivers the filtered log, whenever clients join, leave or change their filters', (t) => {
  const steps = fc.array(
    fc.record({
      size: fc.constantFrom(0, 1, 1, 3, 12, 300),
      member: fc.nat(5),
      act: fc.constantFrom('none', 'none', 'leave', 'join', 'change'),
      next: givenFilter,
    }),
    { minLength: 5, maxLength: 25 },
  )
  fc.assert(
    fc.property(fc.array(requested, { minLength: 6, maxLength: 6 }), steps, (all, played) => {
      const fanOut = new FanOut(() => EPOCH)
      const members = all.map(({ channel, given }, n) => {
        const subscription = subscriptionOf(`s${n}`, channel, parseFilter(given, channel, 'pro'))
        return { subscription, channel, got: [] as number[], expected: [] as number[], isIn: true }
      })
      const join = ({ subscription, got }: (typeof members)[number]): void =>
        fanOut.join(subscription, (pieces) => {
          for (const piece of pieces) {
            const frame = JSON.parse(subscription.advance(piece) + piece.bytes.toString())
            t.is(frame.n, got.length)
            t.is(frame.cursor, subscription.cursor(EPOCH))
            for (const { slot } of frame.data) got.push(slot)
          }
        })
      for (const member of members) join(member)
      let from = 0
      for (const [index, { size, member: which, act, next }] of played.entries()) {
        const batch = batchOf(index + 1, from, from + size)
        from += size
        for (const { subscription, expected, isIn } of members) {
          if (!isIn) continue
          for (const event of batch.events.filter(subscription.matches)) {
            expected.push(event.kind === 'swap' ? event.swap.slot : event.poolEvent.slot)
          }
        }
        fanOut.onBatch(batch)
        const member = members[which]!
        const { subscription, channel, isIn } = member
        if (isIn) t.deepEqual(subscription.offset, { sequence: index + 1, eventCount: 0 })
        if (act === 'leave') {
          fanOut.leave(subscription)
          member.isIn = false
        } else if (act === 'change' || (act === 'join' && !isIn)) {
          fanOut.leave(subscription)
          if (act === 'change') subscription.filter(parseFilter(next, channel, 'pro'))
          // The subscription has reached the newest message by itself.
          subscription.offset = { sequence: index + 1, eventCount: 0 }
          member.isIn = true
          join(member)
        }
      }
      for (const { got, expected } of members) t.deepEqual(got, expected)
    }),
    { numRuns: 60 },
  )
})

test('shares frames that equal the frames of a separate later subscription', (t) => {
  fc.assert(
    fc.property(
      requested,
      fc.boolean(),
      fc.integer({ min: 1, max: 400 }),
      (wanted, isReplay, size) => {
        const { channel, given } = wanted
        const parsed = parseFilter(given, channel, 'pro')
        const fanOut = new FanOut(() => EPOCH)
        const batch = batchOf(7, 40, 40 + size)
        const [first, second, alone] = ['a', 'b', 'c'].map((name) => {
          const subscription = subscriptionOf(name, channel, parsed, 6)
          subscription.isReplay = isReplay
          return subscription
        }) as [Subscription, Subscription, Subscription]
        const shared = fanOut.piecesFor(first, batch)
        t.is(fanOut.piecesFor(second, batch), shared)
        const frames = shared.map((piece) => JSON.parse(first.advance(piece) + piece.bytes))
        const expected = [...alone.pieces([batch])].map((piece) => {
          const { n } = alone
          alone.advance(piece)
          const replay = isReplay ? { replay: true } : {}
          const sent = JSON.parse(`[${piece.text}]`)
          const cursor = alone.cursor(EPOCH)
          return { type: 'data', sub: 'a', channel, n, cursor, ...replay, data: sent }
        })
        t.deepEqual(frames, expected)
      },
    ),
    { numRuns: 60 },
  )
})

test('filters a lamport apart are two, where a double shows them as one', (t) => {
  const fanOut = new FanOut(() => EPOCH)
  const counts = ['9007199.254740993', '9007199.254740994'].map((min_sol) => {
    const subscription = subscriptionOf('a', 'swaps', parseFilter({ min_sol }, 'swaps', 'free'))
    let count = 0
    fanOut.join(subscription, (pieces) => {
      for (const piece of pieces) count += piece.count
    })
    return () => count
  })
  // Event 22 has 9,007,199,254,740,993 lamports.
  fanOut.onBatch(batchOf(1, 22, 23))
  t.deepEqual(
    counts.map((count) => count()),
    [1, 0],
  )
})
