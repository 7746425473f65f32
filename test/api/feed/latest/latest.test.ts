/**
 * Latest values: the subjects of a filter, the frames for a client that does not read, and that a client ends with the
 * answers of REST.
 */
import test from 'ava'
import fc from 'fast-check'
import { FilterError } from '../../../../api/feed/filter.ts'
import { parseLatestFilter, type Subject } from '../../../../api/feed/latest/filter.ts'
import type { LatestChannel } from '../../../../api/feed/latest/schema.ts'
import { LatestSubscription, type Values } from '../../../../api/feed/latest/subscription.ts'
import { LatestValue } from '../../../../api/feed/latest/value.ts'
import { PASTED } from '../../../support/api/pasted.ts'
import { poolOf } from '../../../support/events/sample-event.ts'

const MINT = poolOf(1)
const OTHER = poolOf(2)

test('a filter names its values, the same however it is written', (t) => {
  const cases: [channel: LatestChannel, given: object, shown: object, names: string[]][] = [
    [
      'candles',
      { pools: [OTHER, MINT, OTHER] },
      { pools: [MINT, OTHER].sort(), timeframe: '1m' },
      [MINT, OTHER].sort().map((pool) => `1m of ${pool}`),
    ],
    [
      'candles',
      { timeframe: '4h', tokens: [MINT] },
      { tokens: [MINT], timeframe: '4h' },
      [`4h of token ${MINT}`],
    ],
    ['token_stats', { tokens: [MINT, MINT] }, { tokens: [MINT] }, [MINT]],
    [
      'rankings',
      { limit: 3, board: 'top_movers' },
      { board: 'top_movers', window: '1h', limit: 3 },
      ['{"board":"top_movers","window":"1h","limit":3}'],
    ],
    [
      'rankings',
      { board: 'trending', include_score: true },
      {
        board: 'trending',
        window: '1h',
        limit: 20,
        include_score: true,
        include_rugged: false,
      },
      ['{"board":"trending","window":"1h","include_score":true,"include_rugged":false,"limit":20}'],
    ],
  ]
  for (const [channel, given, shown, names] of cases) {
    const parsed = parseLatestFilter({ ...given, venues: ['venue_1'] }, channel)
    t.deepEqual(parsed.shown, shown as Record<string, unknown>)
    t.deepEqual([...parsed.subjects.keys()], names)
    t.deepEqual(parsed.ignored, ['venues'])
  }
})

test('refuses an invalid filter of latest values with the field, the value and the expected one', (t) => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => poolOf(n))
  const cases: [channel: LatestChannel, given: unknown, text: RegExp, code?: string][] = [
    ['candles', undefined, /^filter is required: candles needs an object$/],
    ['candles', null, /^filter "null": expected an object, candles needs one$/],
    ['candles', {}, /^pools or tokens is required/],
    ['candles', { pools: [], tokens: [] }, /^pools or tokens is required/],
    ['candles', { pools: ['x'] }, /^pools "x": expected an address, base58 of 32 bytes$/],
    ['candles', { pools: 'x' }, /^pools "x": expected a list of 0 to 100 values$/],
    ['candles', { tokens: [MINT], timeframe: '2m' }, /^timeframe "2m": use one of 1m 5m/],
    ['candles', { pools: many(101) }, /^pools: at most 100/, 'FILTER_TOO_LARGE'],
    ['candles', { pools: many(60), tokens: many(41) }, /at most 100$/, 'FILTER_TOO_LARGE'],
    ['token_stats', {}, /^tokens is required$/],
    ['token_stats', { tokens: [] }, /^tokens "\[\]": expected a list of 1 to 200 values$/],
    ['token_stats', { tokens: many(201) }, /^tokens: at most 200/, 'FILTER_TOO_LARGE'],
    ['rankings', {}, /^board is required: use one of trending top_movers$/],
    ['rankings', { board: 'toString' }, /^board "toString"/],
    ['rankings', { board: 'trending', window: '7m' }, /^window "7m": use one of 1m/],
    ['rankings', { board: 'trending', limit: 51 }, /^limit "51": expected an integer of 1 to 50$/],
    ['rankings', { board: 'trending', limit: 1.5 }, /^limit "1.5": expected an integer of 1/],
    ['rankings', { board: 'trending', include_rugged: 1 }, /"1": use one of true false$/],
    ['rankings', { board: 'top_movers', window: '6h' }, /^window "6h": use one of 5m/],
    [
      'rankings',
      { board: 'top_movers', protocol: 'venue_99' },
      /^protocol "venue_99": use 1 to \d+, venue_1/,
    ],
    [
      'rankings',
      { board: 'trending', sector: 'a\u0000b' },
      /^sector .*: expected 1 to 200 characters, none of/,
    ],
  ]
  for (const [channel, given, text, code = 'INVALID_FILTER'] of cases) {
    const error = t.throws(() => parseLatestFilter(given, channel), { instanceOf: FilterError })
    t.regex(error?.message ?? '', text)
    t.is(error?.code, code as FilterError['code'], String(text))
  }
})

test('a pasted address of a filter is trimmed', (t) => {
  for (const [what, dress] of PASTED) {
    const cases: [channel: LatestChannel, given: object, clean: object][] = [
      ['candles', { pools: [dress(OTHER)] }, { pools: [OTHER] }],
      ['candles', { tokens: [dress(MINT), MINT] }, { tokens: [MINT] }],
      ['token_stats', { tokens: [dress(MINT)] }, { tokens: [MINT] }],
    ]
    for (const [channel, given, clean] of cases) {
      t.deepEqual(parseLatestFilter(given, channel), parseLatestFilter(clean, channel), what)
    }
  }
})

const candleOf = (name: string): Subject => ({ channel: 'candles', timeframe: '1m', pool: name })

/** Contents of a candle, distinguished by their count. */
const content = (name: string, trades: number) => ({
  pair_address: name,
  token_address: MINT,
  timeframe: '1m',
  timestamp: 60_000,
  open: 1,
  high: 1,
  low: 1,
  close: 1,
  volume_sol: 1,
  trade_count: trades,
})

test('a value lags its events of FEED until a read has included them', (t) => {
  const value = new LatestValue('a', candleOf('a'))
  t.is(value.doneTo(7), 7)
  value.mark(8, 0)
  value.mark(12, 1)
  t.is(value.doneTo(20), 7)
  // A read that saw all up to 9: the change of 12 may be missing.
  t.true(value.put([{ name: '', content: content('a', 1) }], 9, 1))
  t.is(value.doneTo(20), 9)
  t.deepEqual(value.awaited, { from: 10, to: 12, sinceMs: 0 } as object)
  t.false(value.put([{ name: '', content: content('a', 1) }], 12, 2))
  t.is(value.doneTo(20), 20)
  t.is(value.awaited, undefined)
})

const NAMES = Array.from({ length: 40 }, (_, n) => poolOf(n))

function watched(pools: readonly string[]) {
  const wanted = parseLatestFilter({ pools }, 'candles')
  const subscription = new LatestSubscription({
    name: 'ä"',
    channel: 'candles',
    wanted,
    form: 'number',
    batchMs: 0,
  })
  const values = new Map(
    [...wanted.subjects].map(([name, subject]) => [name, new LatestValue(name, subject)]),
  )
  const of: Values = { valueOf: (name) => values.get(name), cursorOf: () => 'epoch-1' }
  return { subscription, values, of }
}

test('a client that reads at any pace ends with the newest value of each', (t) => {
  const steps = fc.array(
    fc.record({ of: fc.nat(NAMES.length - 1), trades: fc.nat(5), takes: fc.nat(3) }),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(steps, (played) => {
      const { subscription, values, of } = watched(NAMES)
      const names = [...values.keys()]
      const got = new Map<string, number>()
      // How often each has changed, and had when it was sent: one that changes and changes back is new.
      const changes = new Map<string, number>()
      const seen = new Map<string, number>()
      let sent = 0
      let snapshots = 0
      const take = (framesMax: number): void => {
        let frames = 0
        if (framesMax === 0) return
        for (const text of subscription.frames(of)) {
          const frame = JSON.parse(text)
          t.is(frame.sub, 'ä"')
          if (frame.type === 'data') {
            t.is(frame.n, sent)
            t.is(snapshots, 1)
            sent += frame.data.length
          } else if (frame.final) snapshots++
          for (const { pair_address, trade_count } of frame.data) {
            t.not(seen.get(pair_address), changes.get(pair_address), 'sent again unchanged')
            seen.set(pair_address, changes.get(pair_address) ?? 0)
            got.set(pair_address, trade_count)
          }
          if (++frames === framesMax) return
        }
      }
      const expected = new Map<string, number>()
      const put = (name: string, trades: number): void => {
        const value = values.get(name)!
        const { subject } = value
        const pool = 'pool' in subject ? subject.pool : ''
        value.put([{ name: '', content: content(pool, trades) }], 1, 1)
        subscription.note(name, true)
        if (expected.get(pool) !== trades) changes.set(pool, (changes.get(pool) ?? 0) + 1)
        expected.set(pool, trades)
      }
      take(1)
      t.is(got.size, 0, 'a snapshot before all was read')
      for (const name of names) put(name, 6)
      for (const { of: at, trades, takes } of played) {
        put(names[at]!, trades)
        take(takes)
      }
      take(Number.POSITIVE_INFINITY)
      t.deepEqual(Object.fromEntries(got), Object.fromEntries(expected))
      t.is(snapshots, 1)
    }),
    { numRuns: 100 },
  )
})

test('while a client does not read, a thousand changes of a value become one', (t) => {
  const { subscription, values, of } = watched(NAMES)
  const [first] = values.keys()
  for (const value of values.values()) value.put([{ name: '', content: content('a', 0) }], 1, 1)
  for (const text of subscription.frames(of)) t.true(JSON.parse(text).final)
  for (let trades = 1; trades <= 1_000; trades++) {
    values.get(first!)?.put([{ name: '', content: content('a', trades) }], 1, 1)
    subscription.note(first!, true)
  }
  const frames = [...subscription.frames(of)].map((text) => JSON.parse(text))
  t.deepEqual(
    frames.map(({ data }) => data.map(({ trade_count }: { trade_count: number }) => trade_count)),
    [[1_000]],
  )
  t.deepEqual([...subscription.frames(of)], [])
})
