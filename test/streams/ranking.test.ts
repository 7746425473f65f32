/** Entries of a page's text, sliced before they are read: what slicing all of them says. */
import test from 'ava'
import {
  type MoverEntry,
  moverEntries,
  type TrendingEntry,
  trendingEntries,
} from '../../streams/ranking.ts'

const trend = (n: number): TrendingEntry => [
  n,
  `mint ${n}`,
  n / 3,
  n * 1e21,
  n % 2 === 0 ? [null, n, -1e-7] : [null],
  [0, 1, 2, 3, 4, null, n % 3 === 0 ? null : 0.5],
]
const mover = (n: number): MoverEntry => [`mint ${n}`, 6, -(n + 1) / 7, 1, 2, 3, 4e-12, n, 2]

test('a slice of a page is that of all its entries', (t) => {
  for (const count of [0, 1, 2, 5]) {
    const trends = Array.from({ length: count }, (_, n) => trend(n))
    const movers = Array.from({ length: count }, (_, n) => mover(n))
    for (let to = 1; to < 8; to++) {
      t.deepEqual(moverEntries(JSON.stringify(movers), to), movers.slice(0, to))
      for (let from = 0; from < to; from++) {
        const found = trendingEntries(JSON.stringify(trends), from, to)
        t.deepEqual(found, trends.slice(from, to), `${from} to ${to} of ${count}`)
      }
    }
  }
})
