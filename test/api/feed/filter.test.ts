/** The filter of both feeds: what it passes, what it refuses, and its reports to the client. */
import test from 'ava'
import {
  FilterError,
  parseFilter,
  poolEventMatcher,
  presentFilter,
  swapMatcher,
} from '../../../api/feed/filter.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { tagBits } from '../../../domain/wallet/wallet-tag.ts'
import { PASTED } from '../../support/api/pasted.ts'
import { SWAP as BUY, MINT, POOL, WALLET } from '../../support/events/sample-event.ts'

const OTHER = encodeBase58(new Uint8Array(32).fill(11))
/** A buy of 0.00002 SOL on venue_1. */
const SELL = { ...BUY, isBuy: false, dex: 2 as const, solAmount: 2_000_000_000 }

test('a swap passes where every field that is given holds one of its values', (t) => {
  const cases: [given: object, buy: boolean, sell: boolean][] = [
    [{}, true, true],
    [{ tokens: [OTHER] }, false, false],
    [{ tokens: [OTHER, MINT] }, true, true],
    [{ pools: [POOL], wallets: [WALLET] }, true, true],
    [{ pools: [POOL], wallets: [OTHER] }, false, false],
    [{ venues: ['venue_2', 'venue_3'] }, false, true],
    [{ swap_type: 'buy' }, true, false],
    [{ swap_type: 'sell' }, false, true],
    // 20,000 lamports exactly, and one more than those.
    [{ min_sol: 0.00002 }, true, true],
    [{ min_sol: 0.000020001 }, false, true],
    // A tenth of a lamport more is a lamport more.
    [{ min_sol: '0.0000200001' }, false, true],
    [{ min_sol: 2 }, false, true],
    [{ min_sol: 2.5e-7 }, true, true],
    [{ min_sol: '2.0001e-5' }, false, true],
  ]
  for (const [given, buy, sell] of cases) {
    const matches = swapMatcher(parseFilter(given, 'swaps', 'pro').filter)
    t.deepEqual([matches(BUY, 0), matches(SELL, 0)], [buy, sell], JSON.stringify(given))
  }
})

test('a swap beyond what a double holds is compared to the last digit', (t) => {
  const { filter } = parseFilter({ min_sol: '9007199.254740993' }, 'swaps', 'free')
  const matches = swapMatcher(filter)
  t.false(matches({ ...BUY, solAmount: 9_007_199_254_740_992n }, 0))
  t.true(matches({ ...BUY, solAmount: 9_007_199_254_740_993n }, 0))
})

test('filters by tags of the wallet where the tier has them, and drops that filter elsewhere', (t) => {
  const given = { wallet_tags: ['whale', 'sniper'], swap_type: 'buy' }
  for (const tier of ['pro', 'enterprise'] as const) {
    const { filter, locked } = parseFilter(given, 'swaps', tier)
    t.deepEqual(locked, [])
    t.false(swapMatcher(filter)(BUY, tagBits(['insider'])))
    t.true(swapMatcher(filter)(BUY, tagBits(['insider', 'sniper'])))
  }
  for (const tier of ['free', 'developer'] as const) {
    const { filter, locked } = parseFilter(given, 'swaps', tier)
    t.deepEqual(locked, ['wallet_tags'])
    t.true(swapMatcher(filter)(BUY, 0))
    t.deepEqual(presentFilter(filter), { swap_type: 'buy' })
  }
})

test('filters a pool event by venue and pool only, and reports fields that it lacks', (t) => {
  const { filter, ignored } = parseFilter(
    { venues: ['venue_1'], min_sol: 5, wallets: 'no list' },
    'pool_events',
    'free',
  )
  t.deepEqual(ignored, ['min_sol', 'wallets'])
  const event = { event: 'created', creator: OTHER } as const
  t.true(poolEventMatcher(filter)({ ...BUY, ...event }))
  t.false(poolEventMatcher(filter)({ ...SELL, ...event }))
})

test('returns a filter as it takes effect: sorted, each value once', (t) => {
  const { filter } = parseFilter(
    { venues: ['venue_10', 'venue_2', 'venue_10'], tokens: [OTHER, MINT], min_sol: '1.50' },
    'swaps',
    'free',
  )
  t.deepEqual(presentFilter(filter), {
    tokens: [MINT, OTHER].sort(),
    venues: ['venue_2', 'venue_10'],
    min_sol: 1.5,
  })
})

test('trims a pasted address in every field of addresses', (t) => {
  for (const [what, dress] of PASTED) {
    for (const field of ['tokens', 'pools', 'wallets']) {
      const { filter } = parseFilter({ [field]: [dress(MINT), OTHER] }, 'swaps', 'pro')
      const clean = parseFilter({ [field]: [MINT, OTHER] }, 'swaps', 'pro')
      t.deepEqual(filter, clean.filter, `${field} with ${what}`)
    }
  }
})

test('refuses an invalid filter with the field, the value and the expected one', (t) => {
  const tooMany = Array.from({ length: 1_001 }, () => MINT)
  const cases: [given: unknown, code: FilterError['code'], text: RegExp][] = [
    [[], 'INVALID_FILTER', /^filter "\[\]": expected an object$/],
    ['all', 'INVALID_FILTER', /^filter "all": expected an object$/],
    [null, 'INVALID_FILTER', /^filter "null": expected an object$/],
    [{ tokens: MINT }, 'INVALID_FILTER', /^tokens ".*": expected a list$/],
    [
      { tokens: [], venues: ['venue_1'] },
      'INVALID_FILTER',
      /^tokens "\[\]": expected 1 to 1000 values; leave tokens out to take all$/,
    ],
    [{ wallet_tags: [] }, 'INVALID_FILTER', /^wallet_tags "\[\]": /],
    [{ tokens: ['abc'] }, 'INVALID_FILTER', /^tokens "abc": expected a base58 address/],
    [{ wallets: [7] }, 'INVALID_FILTER', /^wallets "7": expected a base58 address/],
    [
      { venues: ['raydium'] },
      'INVALID_FILTER',
      /^venues "raydium": expected 1 to \d+, venue_1 to venue_\d+, or one of pumpfun /,
    ],
    [{ wallet_tags: ['kol'] }, 'INVALID_FILTER', /^wallet_tags "kol": expected one of sniper /],
    [{ swap_type: 'BUY' }, 'INVALID_FILTER', /^swap_type "BUY": use one of buy sell$/],
    [{ min_sol: -1 }, 'INVALID_FILTER', /^min_sol "-1": expected SOL as a decimal/],
    [{ min_sol: Number.NaN }, 'INVALID_FILTER', /^min_sol/],
    [{ min_sol: '9223372036.854775808' }, 'INVALID_FILTER', /a decimal of 0 to 9223372036$/],
    [{ tokens: tooMany }, 'FILTER_TOO_LARGE', /^tokens: at most 1000 values$/],
  ]
  for (const [given, code, text] of cases) {
    const error = t.throws(() => parseFilter(given, 'swaps', 'pro'), { instanceOf: FilterError })
    t.is(error?.code, code)
    t.regex(error?.message ?? '', text)
  }
})

test('a field that no channel has is refused with the nearest name', (t) => {
  const cases: [given: object, channel: 'swaps' | 'pool_events', text: string][] = [
    [{ token: [MINT] }, 'swaps', 'unknown field of filter "token": did you mean "tokens"?'],
    [{ Tokens: [MINT] }, 'swaps', 'unknown field of filter "Tokens": did you mean "tokens"?'],
    [{ mint: MINT }, 'pool_events', 'unknown field of filter "mint": did you mean "tokens"?'],
    [
      { pair_address: [POOL] },
      'swaps',
      'unknown field of filter "pair_address": did you mean "pools"?',
    ],
    [{ user: [WALLET] }, 'swaps', 'unknown field of filter "user": did you mean "wallets"?'],
    [{ dex: ['venue_1'] }, 'swaps', 'unknown field of filter "dex": did you mean "venues"?'],
    [{ side: 'buy' }, 'swaps', 'unknown field of filter "side": did you mean "swap_type"?'],
    [
      { colour: 'red' },
      'pool_events',
      'unknown field of filter "colour": use one of tokens pools venues',
    ],
  ]
  for (const [given, channel, text] of cases) {
    const error = t.throws(() => parseFilter(given, channel, 'pro'), { instanceOf: FilterError })
    t.is(error?.message, text)
    t.is(error?.code, 'INVALID_FILTER')
  }
})
