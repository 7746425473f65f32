// The bounds of the screener's live example hold the token's figures, and the route accepts them.

import test from 'ava'
import { type Screened, screenerBounds } from '../../../api/openapi/installation/screener-bounds.ts'
import { ofScreener } from '../../../api/resources/screener/schema.ts'
import { parserOf } from '../../../api/routing/parameters.ts'

const parse = parserOf(ofScreener)
const COUNTED = { buyers: 1, age_minutes: 0 }
/** The least values, powers of ten with their neighbours, and those at which a bound was refused. */
const AMOUNTS = [0, 1, 2, 3, 7, 9, 10, 11, 99, 100, 101, 12_345, 999_999, 4e11]
const FRACTIONS = [4e-9, 0.042, 0.5, 1.5, 37.25, 1e9]
const CHANGES = [-100, -99.9, -75, -40, -13.4, -13.3, -0.5, 0, 0.1, 59, 250, 1e6]
const VALUES: Readonly<Record<string, readonly number[]>> = {
  price_usd: [...AMOUNTS, ...FRACTIONS],
  volume_usd: [...AMOUNTS, ...FRACTIONS],
  liquidity_usd: [...AMOUNTS, ...FRACTIONS],
  change_pct: CHANGES,
  trades: AMOUNTS,
  buyers: AMOUNTS.slice(1),
  age_minutes: AMOUNTS,
  holders: AMOUNTS,
}

for (const [name, values] of Object.entries(VALUES)) {
  test(`bounds of ${name} hold its value and are accepted`, (t) => {
    for (const value of values) {
      const bounds = Object.fromEntries(boundsOf({ ...COUNTED, [name]: value }))
      const [least = NaN, most = NaN] = [bounds[`min_${name}`], bounds[`max_${name}`]]
      t.true(least <= value && value <= most, `${least} <= ${value} <= ${most}`)
      for (const [bound, number] of Object.entries(bounds)) {
        t.notThrows(() => parse({ [bound]: String(number) }), `${bound}=${number} for ${value}`)
      }
    }
  })
}

test('there are no bounds for a token whose traders are not counted yet', (t) => {
  t.deepEqual(boundsOf({ price_usd: 1, buyers: 0, age_minutes: 3 }), [])
  t.deepEqual(boundsOf({ price_usd: 1, buyers: 2, age_minutes: null }), [])
})

function boundsOf(screened: Screened): [string, number][] {
  return screenerBounds(screened, ofScreener.properties)
}
