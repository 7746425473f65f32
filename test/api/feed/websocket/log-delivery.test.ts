/**
 * Reads of the tables for a client that does not read: one page a connection, and none for subscriptions that have
 * left.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { parseFilter } from '../../../../api/feed/filter.ts'
import type { FeedHub } from '../../../../api/feed/log/feed-reader.ts'
import type { StoredEvents } from '../../../../api/feed/log/stored.ts'
import { FanOut } from '../../../../api/feed/websocket/fan-out.ts'
import { LogDelivery, type Out } from '../../../../api/feed/websocket/log-delivery.ts'
import { TIMING } from '../../../../api/feed/websocket/protocol/timing.ts'
import { Subscription } from '../../../../api/feed/websocket/subscription.ts'
import { feedEvent } from '../../../support/feed/written-feed.ts'

const PAGES = 3
const PAGE_EVENTS = 600
/** Every tenth is a pool event. */
const SWAPS = (PAGES * PAGE_EVENTS * 9) / 10

/** A connection without a socket, whose client reads frames one at a time if it is `slow`. */
function connection({ isBlocked }: { isBlocked: boolean }) {
  const given: [name: string, slots: number[]][] = []
  const failed: unknown[] = []
  let pages = 0
  const left = new Set<string>()
  const out = {
    ended: new AbortController().signal,
    isBlocked,
    isSlow: false as boolean,
    send() {},
    frame(head: string, body: Uint8Array) {
      const frame = JSON.parse(head + Buffer.from(body).toString('latin1'))
      given.push([frame.sub, frame.data.map(({ slot }: { slot: number }) => slot)])
      if (out.isSlow) out.isBlocked = true
    },
    isWanted: ({ name }: { name: string }) => !left.has(name),
    fail: (_subscription: unknown, error: unknown) => failed.push(error),
  } satisfies Out & { isSlow: boolean }
  const stored: StoredEvents = {
    arePublished: async () => true,
    async page(_channel, fromSlot) {
      pages++
      await nextTurn()
      const first = fromSlot - 1_000
      const events = Array.from({ length: PAGE_EVENTS }, (_, n) => feedEvent(first + n))
      const end = first + PAGE_EVENTS
      const isLast = end >= PAGES * PAGE_EVENTS
      return { events, commits: new Map(), slotEnd: isLast ? Infinity : 1_000 + end }
    },
  }
  const hub = { epoch: 'e', head: () => 0, caughtUp: async () => {} } as unknown as FeedHub
  const fanOut = new FanOut(() => 'e')
  const delivery = new LogDelivery({ hub, stored, fanOut, timing: TIMING }, out)
  return {
    out,
    failed,
    pages: () => pages,
    slotsOf: (name: string) => given.flatMap(([sub, slots]) => (sub === name ? slots : [])),
    begin(name: string): Subscription {
      const parsed = parseFilter({}, 'swaps', 'pro')
      const wanted = { name, channel: 'swaps', parsed, form: 'number', batchMs: 0 } as const
      const subscription = new Subscription(wanted, { sequence: 0, eventCount: 0 })
      delivery.begin(subscription, { slot: 1_000 }, () => {})
      return subscription
    },
    leave(subscription: Subscription): void {
      left.add(subscription.name)
      delivery.leave(subscription)
    },
    drain(): void {
      out.isBlocked = false
      delivery.resume()
    },
  }
}

async function ticks(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await nextTurn()
}

test('does not read for a blocked connection, nor for subscriptions that have left meanwhile', async (t) => {
  const { begin, leave, drain, pages, slotsOf } = connection({ isBlocked: true })
  begin('stays')
  for (let count = 0; count < 49; count++) leave(begin(`goes ${count}`))
  await ticks(20)
  t.is(pages(), 0)
  drain()
  await ticks(50)
  t.is(pages(), PAGES)
  t.is(slotsOf('stays').length, SWAPS)
})

test('holds one page for a client that does not read, for all its subscriptions', async (t) => {
  const { out, begin, leave, drain, pages, slotsOf } = connection({ isBlocked: false })
  out.isSlow = true
  const first = begin('first')
  await ticks(20)
  for (const name of ['second', 'third']) begin(name)
  await ticks(20)
  t.true(out.isBlocked)
  t.is(pages(), 1)
  const had = slotsOf('first').length
  t.true(had > 0 && had < PAGE_EVENTS)
  // The held page of the reader is dropped, and the next is read when the client has read.
  leave(first)
  await ticks(20)
  t.is(pages(), 1)
  drain()
  await ticks(20)
  t.is(pages(), 2)
  t.is(slotsOf('first').length, had)
  t.true(slotsOf('second').length > 0)
})

test('delivers all pages of all subscriptions to a slow reader, each event once', async (t) => {
  const { out, begin, drain, slotsOf, failed } = connection({ isBlocked: false })
  out.isSlow = true
  const names = ['first', 'second', 'third', 'fourth']
  for (const name of names) begin(name)
  for (let read = 0; read < 500; read++) {
    await ticks(4)
    drain()
  }
  const swaps = Array.from({ length: PAGES * PAGE_EVENTS }, (_, n) => 1_000 + n)
  const expected = swaps.filter((slot) => slot % 10 !== 9)
  for (const name of names) t.deepEqual(slotsOf(name), expected, name)
  t.deepEqual(failed, [])
})
