/** One lossless subscription, without a socket: how long its frames are at most. Pure. */
import test from 'ava'
import fc from 'fast-check'
import { parseFilter } from '../../../../api/feed/filter.ts'
import { FRAME_BYTES_MAX } from '../../../../api/feed/frame.ts'
import { LatestSubscription } from '../../../../api/feed/latest/subscription.ts'
import { LatestValue } from '../../../../api/feed/latest/value.ts'
import { FeedBatch } from '../../../../api/feed/log/batch.ts'
import { frameRest, REPLAY_MARK } from '../../../../api/feed/websocket/fan-out.ts'
import { Subscription } from '../../../../api/feed/websocket/subscription.ts'
import { encodeFeedBatch } from '../../../../streams/codec/event-codec.ts'
import { poolOf } from '../../../support/events/sample-event.ts'
import { feedEvent } from '../../../support/feed/written-feed.ts'

const LANES = 64
const EPOCH = 'e'.repeat(40)
const COMMIT_MAX = 10 ** 12
const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 32 })
const longest = '\u{1f4c8}'.repeat(32)

test('no data frame is over 64 KiB for any name and lanes of its cursor', (t) => {
  const events = Array.from({ length: 400 }, (_, n) => feedEvent(n))
  const mark = { poolLane: LANES - 1, commitNumber: COMMIT_MAX + 1, part: 0 }
  const batch = new FeedBatch(10 ** 15, encodeFeedBatch(mark, events))
  const commits = fc.array(fc.integer({ min: 1, max: COMMIT_MAX }), { maxLength: LANES - 1 })
  const form = fc.constantFrom('number' as const, 'string' as const)
  const property = fc.property(name, commits, form, (given, ahead, int64) => {
    const parsed = parseFilter({}, 'swaps', 'pro')
    const wanted = { name: given, channel: 'swaps', parsed, form: int64, batchMs: 0 } as const
    const lanes = ahead.length === 0 ? undefined : new Map(ahead.entries())
    const position = { sequence: batch.sequence - 1, eventCount: 0, ahead: lanes }
    const subscription = new Subscription(wanted, position)
    let count = 0
    for (const piece of subscription.pieces([batch])) {
      const head = subscription.advance(piece)
      const rest = frameRest(`"${subscription.cursor(EPOCH)}"`, piece.text, REPLAY_MARK)
      const frame = head + rest.toString('latin1')
      t.true(Buffer.byteLength(frame) <= FRAME_BYTES_MAX, `${frame.length} bytes`)
      t.is(JSON.parse(frame).sub, given)
      count += piece.count
    }
    t.is(count, 360)
  })
  const worst = Array.from({ length: LANES - 1 }, () => COMMIT_MAX)
  fc.assert(property, { numRuns: 50, examples: [[longest, worst, 'number']] })
})

test('nor is one of latest values', (t) => {
  const names = Array.from({ length: 400 }, (_, n) => poolOf(n))
  const subjects = new Map(
    names.map((pool) => [pool, { channel: 'candles', pool, timeframe: '1m' } as const]),
  )
  const content = { text: 'x'.repeat(600) }
  const values = new Map(
    [...subjects].map(([key, subject]) => {
      const value = new LatestValue(key, subject)
      value.put([{ name: '', content }], 1, 1)
      return [key, value]
    }),
  )
  const of = { valueOf: (key: string) => values.get(key), cursorOf: () => `${EPOCH}-${10 ** 15}` }
  const property = fc.property(name, (given) => {
    const wanted = { subjects, shown: {}, ignored: [] }
    const options = { channel: 'candles', wanted, form: 'number', batchMs: 0 } as const
    const subscription = new LatestSubscription({ name: given, ...options })
    for (const frame of subscription.frames(of)) {
      t.true(Buffer.byteLength(frame) <= FRAME_BYTES_MAX, `${frame.length} bytes`)
    }
    t.true(subscription.hasSnapshot)
  })
  fc.assert(property, { numRuns: 20, examples: [[longest]] })
})
