/** Subjects: those of events, those of readers, and that no two writers share one. */

import test from 'ava'
import type { MarketEvent } from '../../../domain/events/event.ts'
import { VENUES } from '../../../domain/venue.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import {
  feedLaneFilter,
  feedStreamSubject,
  feedSubject,
  feedSubjectsOfPoolLane,
  isOwnSubject,
  laneOfSubject,
  matchesPattern,
  paceSubject,
  parsePattern,
  patternFilter,
  type SubjectPattern,
  subjectIn,
  swapLaneFilter,
  swapStreamSubject,
  swapSubject,
  walletLaneOfSubject,
} from '../../../streams/nats/subject.ts'
import {
  MINT,
  NOW_MS,
  POOL,
  poolOf,
  SIGNATURE,
  swapEvent,
} from '../../support/events/sample-event.ts'

const token: MarketEvent = { kind: 'token', token: { tokenAddress: MINT, slot: 0 } }
const poolEvent: MarketEvent = {
  kind: 'pool_event',
  poolEvent: {
    event: 'created',
    signature: SIGNATURE,
    slot: 400,
    timestamp: NOW_MS,
    pairAddress: POOL,
    tokenAddress: MINT,
    dex: 7,
    blockTxIndex: 0,
    ixIndex: 0,
  },
}

/** Whether a subject matches a filter in which `*` matches one part. */
function matches(filter: string, subject: string): boolean {
  const [wanted, parts] = [filter.split('.'), subject.split('.')]
  return (
    wanted.length === parts.length &&
    wanted.every((part, index) => part === '*' || part === parts[index])
  )
}

test('swaps and pool events go by the pool, token lines by the mint', (t) => {
  const lane = (key: string) => laneOf(key, 4)
  t.is(swapSubject('', swapEvent({ dex: 10 }), 4), `swap.venue_10.${lane(POOL)}`)
  t.is(swapSubject('', poolEvent, 4), `swap.venue_7.${lane(POOL)}`)
  t.is(swapSubject('', token, 4), `swap.token.${lane(MINT)}`)
  t.is(swapSubject('mine.', token, 4), `mine.swap.token.${lane(MINT)}`)
})

test('a lane reads all of its pools, of every venue, and of no other lane', (t) => {
  for (let n = 0; n < 50; n++) {
    const pairAddress = poolOf(n)
    const subject = swapSubject('p.', swapEvent({ pairAddress, dex: ((n % 10) + 1) as 1 }), 4)
    for (let lane = 0; lane < 4; lane++) {
      t.is(matches(swapLaneFilter('p.', lane), subject), lane === laneOf(pairAddress, 4))
    }
  }
  t.true(matches(swapLaneFilter('', laneOf(MINT, 4)), swapSubject('', token, 4)))
})

test('the filters of the streams match published subjects, and none of another installation', (t) => {
  const swaps = swapStreamSubject('p.')
  const feed = feedStreamSubject('p.')
  t.true(matches(swaps, swapSubject('p.', token, 4)))
  t.false(matches(swaps, swapSubject('', token, 4)))
  t.false(matches(swaps, swapSubject('q.', token, 4)))
  t.true(matches(feed, feedSubject('p.', 3, 1, 2)))
  t.false(matches(feed, feedSubject('', 3, 1, 2)))
})

test('a subject of the feed names venue, lane of the wallet and lane of the pool', (t) => {
  t.is(feedSubject('', 3, 1, 2), 'feed.venue_3.1.2')
  t.is(walletLaneOfSubject(feedSubject('p.q.', 3, 11, 2)), 11)
  t.is(laneOfSubject(feedSubject('p.q.', 3, 11, 2)), 2)
  t.throws(() => feedSubject('', 99, 1, 2), { instanceOf: RangeError })
})

test('a lane of wallets reads its share of the feed, whichever pool lane wrote it, and no other', (t) => {
  for (let lane = 0; lane < 4; lane++) {
    t.is(matches(feedLaneFilter('p.', lane), feedSubject('p.', 10, 3, 1)), lane === 3)
    t.is(matches(feedLaneFilter('p.', lane), feedSubject('p.', 2, 1, 3)), lane === 1)
  }
})

test('no two pool lanes write one subject of the feed', (t) => {
  const all = [0, 1, 2, 3].flatMap((poolLane) => feedSubjectsOfPoolLane('', poolLane, 4))
  // Each venue, four wallet lanes, four pool lanes.
  t.is(all.length, VENUES.length * 16)
  t.is(new Set(all).size, VENUES.length * 16)
  t.true(feedSubjectsOfPoolLane('', 2, 4).includes(feedSubject('', 10, 3, 2)))
})

test('a pattern matches subjects, one * at its end the rest', (t) => {
  const subjects = ['swap.venue_2.1', 'swap.token.3', 'feed.venue_2.0.3', 'feed.venue_10.3.1']
  const matched = (text: string): string[] => {
    const pattern = parsePattern(text, 4)
    if ('error' in pattern) throw new Error(pattern.error)
    return subjects.filter((subject) => matchesPattern(pattern, subject))
  }
  const [swap, token, feed, feed10] = subjects as [string, string, string, string]
  t.deepEqual(matched('swap.*'), [swap, token])
  t.deepEqual(matched('swap.>'), [swap, token])
  t.deepEqual(matched('swap.*.1'), [swap])
  t.deepEqual(matched('swap.token.*'), [token])
  t.deepEqual(matched('feed.>'), [feed, feed10])
  t.deepEqual(matched('feed.venue_2.*'), [feed])
  t.deepEqual(matched('feed.venue_2.>'), [feed])
  t.deepEqual(matched('feed.*.*.3'), [feed])
  t.deepEqual(matched('feed.*.3.*'), [feed10])
  t.deepEqual(matched('feed.venue_2.0.3'), [feed])
  t.deepEqual(matched('feed.venue_1.*'), [])
})

test('a pattern becomes the filter that lets the same through', (t) => {
  const filterOf = (text: string) => patternFilter('a.', parsePattern(text, 4) as SubjectPattern)
  t.is(filterOf('feed.venue_2.*'), 'a.feed.venue_2.>')
  t.is(filterOf('feed.*'), 'a.feed.>')
  t.is(filterOf('feed.*.*.3'), 'a.feed.*.*.3')
  t.is(filterOf('swap.>'), 'a.swap.>')
  t.is(filterOf('swap.venue_1.2'), 'a.swap.venue_1.2')
})

test('refuses a pattern that can match no subject with the reason', (t) => {
  const texts = [
    'feed',
    'swap.venue_1',
    'food.>',
    'feed.venue_99.*',
    'feed.token.*',
    'feed.>.1',
    '',
  ]
  const wide = ['feed.*.*.*.*', 'swap.*.*.*', 'feed.*.4.*', 'feed.*.01.*', 'swap.*.-1']
  for (const text of [...texts, ...wide]) t.true('error' in parsePattern(text, 4), text)
})

test('returns the subject under which an event is ingested and published', (t) => {
  for (const event of [swapEvent(), poolEvent]) {
    t.is(subjectIn('SWAP', event, 4), swapSubject('', event, 4))
    const [, venue, , poolLane] = subjectIn('FEED', event, 4).split('.')
    t.is(`swap.${venue}.${poolLane}`, swapSubject('', event, 4))
  }
  t.true(isOwnSubject('a.', 'a.feed.venue_1.0.0'))
  t.true(isOwnSubject('', 'swap'))
  t.true(isOwnSubject('a.', paceSubject('a.', 1)))
  t.false(isOwnSubject('a.', 'feed.venue_1.0.0'))
  t.false(isOwnSubject('', 'swapped.x'))
})
