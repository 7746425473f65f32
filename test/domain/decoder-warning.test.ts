/** The band of rejects by venue, and how a warning begins, lasts and ends by the slots of windows. */
import test from 'ava'
import {
  bandOf,
  judge,
  nextRate,
  type RateWarning,
  WINDOW_SWAPS_MIN,
} from '../../domain/decoder-warning.ts'
import { VENUES } from '../../domain/venue.ts'

const window = (swaps: number, unreadable: number, noSol = 0, dex: 1 | 5 = 5) => ({
  ...{ dex, swaps, unreadable, noSol },
})

test('a share above the band is outside, and one with half of the way left is inside', (t) => {
  // 2 % may be unreadable: 20 of 1,000 swaps.
  t.is(judge(window(1_000, 21), 'unreadable'), 'outside')
  t.is(judge(window(1_000, 20), 'unreadable'), 'unsure')
  t.is(judge(window(1_000, 11), 'unreadable'), 'unsure')
  t.is(judge(window(1_000, 10), 'unreadable'), 'inside')
  t.is(judge(window(1_000, 0), 'unreadable'), 'inside')
  // 98 % may have no SOL.
  t.is(judge(window(1_000, 0, 981), 'no_sol_side'), 'outside')
  t.is(judge(window(1_000, 0, 980), 'no_sol_side'), 'unsure')
  t.is(judge(window(1_000, 0, 970), 'no_sol_side'), 'inside')
  // On the launch venue half of them.
  t.is(judge(window(1_000, 0, 501, 1), 'no_sol_side'), 'outside')
})

test('a quiet venue is not judged, however many of its swaps were rejected', (t) => {
  for (const { dex } of VENUES) {
    const quiet = WINDOW_SWAPS_MIN - 1
    t.is(judge({ dex, swaps: quiet, unreadable: quiet, noSol: 0 }, 'unreadable'), 'unsure')
    t.is(judge({ dex, swaps: 0, unreadable: 0, noSol: 0 }, 'no_sol_side'), 'unsure')
    const { unreadable, no_sol_side: noSol } = bandOf(dex)
    t.true(unreadable > 0 && unreadable < 0.1 && noSol > 0 && noSol < 1)
  }
})

test('a warning begins once, lasts through unsure windows, and ends with a later one inside', (t) => {
  const changes: (string | undefined)[] = []
  let rate: RateWarning | undefined
  const see = (judgement: 'outside' | 'inside' | 'unsure', slot: number): void => {
    const next = nextRate(rate, judgement, slot)
    changes.push(next?.change)
    rate = next?.rate ?? rate
  }
  see('inside', 100)
  see('outside', 200)
  see('outside', 300)
  see('unsure', 400)
  see('inside', 500)
  see('inside', 600)
  t.deepEqual(changes, [undefined, 'began', undefined, undefined, 'ended', undefined])
  t.deepEqual(rate, { firstSlot: 200, lastSlot: 300, windows: 2, endedSlot: 500 })
  see('outside', 700)
  t.is(changes.at(-1), 'began')
  t.deepEqual(rate, { firstSlot: 700, lastSlot: 700, windows: 1 })
})

test('a backfill of the past neither ends a warning of newer slots nor begins one twice', (t) => {
  const active: RateWarning = { firstSlot: 1_000, lastSlot: 1_200, windows: 3 }
  t.is(nextRate(active, 'inside', 900), undefined)
  t.is(nextRate(active, 'inside', 1_200), undefined)
  t.deepEqual(nextRate(active, 'outside', 800), {
    rate: { firstSlot: 800, lastSlot: 1_200, windows: 4 },
  })
  const ended = { ...active, endedSlot: 2_000 }
  t.is(nextRate(ended, 'outside', 1_900)?.change, undefined)
  t.is(nextRate(ended, 'outside', 2_001)?.change, 'began')
})
