// The bounded memory of positions.

import test from 'ava'
import { applyToPosition, emptyPosition } from '../../../domain/ledger/position.ts'
import {
  bytesOf,
  type Holding,
  Holdings,
  holdingKey,
  withinBounds,
} from '../../../workers/ledger/holding.ts'
import { buy } from '../../domain/ledger/histories.ts'

/** Room for about a hundred positions without recent swaps, in each of two generations. */
const BYTES_MAX = 200_000

const position = (walletId: number, recentSwaps = 0): Holding => ({
  walletId,
  tokenId: 1,
  state: emptyPosition(),
  isNew: false,
  isPending: false,
  cover: undefined,
  snapshots: [],
  recent: {
    base: undefined,
    after: undefined,
    wasLate: true,
    swaps: Array.from({ length: recentSwaps }, (_, n) => buy(n + 1, 1, 1)),
  },
})

const keyOf = (walletId: number) => holdingKey({ walletId, tokenId: 1 })

/** How many of so many positions are still held when each came in a batch of its own. */
function heldOf(count: number, recentSwaps: number): number {
  const holdings = new Holdings(BYTES_MAX)
  for (let walletId = 1; walletId <= count; walletId++) {
    holdings.age()
    holdings.set(position(walletId, recentSwaps))
  }
  const ids = Array.from({ length: count }, (_, n) => n + 1)
  return ids.filter((walletId) => holdings.get(keyOf(walletId)) !== undefined).length
}

test('at most two generations are held, fewer positions the more they remember', (t) => {
  const light = heldOf(1_000, 0)
  const heavy = heldOf(1_000, 100)
  t.true(light > 100 && light <= 201, `${light}`)
  t.true(heavy > 5 && heavy < 20, `${heavy}`)
})

test('never evicts a position that every batch requests', (t) => {
  const holdings = new Holdings(BYTES_MAX)
  const requested = position(7)
  holdings.set(requested)
  for (let walletId = 100; walletId < 2_000; walletId++) {
    holdings.age()
    t.is(holdings.get(keyOf(7)), requested)
    holdings.set(position(walletId))
  }
})

test('counts the growth of stored positions toward the bound', (t) => {
  const holdings = new Holdings(BYTES_MAX)
  holdings.set(position(1))
  for (let batch = 0; batch < 2; batch++) {
    holdings.grew(BYTES_MAX)
    holdings.age()
  }
  t.is(holdings.get(keyOf(1)), undefined)
})

test('counts the lots of at most two chunks: the sealed ones are not in memory', (t) => {
  const bought = position(1)
  const sizes = [1, 100, 200, 2_000].map((lots) => {
    while (bought.state.lots.next < lots) {
      applyToPosition(bought.state, buy(bought.state.lots.next + 1, 1, 1))
    }
    bought.state.lots.takeSealed()
    return bytesOf(bought)
  })
  const [one = 0, hundred = 0, twoHundred = 0, twoThousand = 0] = sizes
  t.true(hundred > one + 99 * 100, `${sizes}`)
  t.true(twoHundred > hundred + 99 * 100, `${sizes}`)
  t.true(twoThousand < 3 * hundred, `${sizes}`)
})

test('ids too large for one safe integer have distinct keys', (t) => {
  const ids = [0, 1, 2 ** 24 - 1, 2 ** 24, 2 ** 29 - 1, 2 ** 29, 2 ** 31 - 1]
  const names = ids.flatMap((walletId) => ids.map((tokenId) => ({ walletId, tokenId })))
  t.is(new Set(names.map(holdingKey)).size, names.length)
})

test('bounds what is recomputed at once by position and by batch', (t) => {
  t.deepEqual(withinBounds([3, 6, 5, 0, 5, 1, 0], 5, 10), [
    true,
    false,
    true,
    true,
    false,
    true,
    true,
  ])
  t.deepEqual(
    withinBounds(
      Array.from({ length: 1_000 }, () => 4_999),
      5_000,
      50_000,
    ).indexOf(false),
    10,
  )
})
