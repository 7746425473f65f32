/** The trending score of this formula version, computed by hand. Pure. */
import test from 'ava'
import { FORMULA_VERSION, type TrendingParts } from '../../../../domain/ranking.ts'
import {
  type ScoreInputs,
  trendingParts,
  trendingScore,
} from '../../../../workers/ranking/series/score.ts'

const SOL = 1_000_000_000
const INPUTS: ScoreInputs = {
  minutes: 5,
  volumeLamports: 10 * SOL,
  volumeBefore: 4 * SOL,
  buyers: 6,
  buyersBefore: 3,
  isNew: false,
  creatorSoldLamports: SOL,
  holders: { now: 30, atStart: 20, top10Share: 0.7 },
}

const near = (parts: readonly (number | null)[]): (number | null)[] =>
  parts.map((part) => part && Number(part.toPrecision(12)))

test('each part is its formula of the inputs', (t) => {
  const [velocity, buyers] = [Math.log(3), Math.log(7)]
  t.deepEqual(near(trendingParts(INPUTS)), near([velocity, buyers, 1.5, 1, 0.4, 0.5, 0.4]))
  // A new mint has no window before; without holders two parts are unknown.
  const fresh = trendingParts({ ...INPUTS, isNew: true, holders: undefined })
  t.deepEqual(near(fresh), near([velocity, buyers, 2.5, 2.5, 0.4, null, null]))
  // The bounds of each part.
  const extreme = trendingParts({
    ...INPUTS,
    ...{ volumeBefore: 0, buyers: 0, buyersBefore: 9, creatorSoldLamports: 9 * SOL },
    holders: { now: 100, atStart: 1, top10Share: 1 },
  })
  t.deepEqual(near(extreme), near([velocity, 0, 5, -1, 2, 2, 1]))
})

// A change that fails this changes what is stored: raise the version with it.
test('the score of formula version 1 is its weighted parts', (t) => {
  const parts: TrendingParts = [1, 2, 3, 4, 0.5, 0.25, 0.125]
  t.is(FORMULA_VERSION, 1)
  // 0.9 + 2.2 + 1.8 + 2.4 + 0.125 - 0.5 - 0.125
  t.is(trendingScore(parts).toPrecision(12), (6.8).toPrecision(12))
  t.is(trendingScore([0, 0, 0, 0, 0, null, null]), 0)
})
