// Times and shortened texts of the pages.

import test from 'ava'
import { shortened } from '../../../domain/text/short-text.ts'
import { spaced } from '../../../web/format/text.ts'
import { agoText, durationText, exactTimeText } from '../../../web/format/time.ts'

test('durations are whole units, rounded down', (t) => {
  const seconds = [0, 59, 60, 3_599, 3_600, 86_399, 86_400, 400 * 86_400]
  t.deepEqual(
    seconds.map((each) => durationText(each * 1_000)),
    ['0 s', '59 s', '1 min', '59 min', '1 h', '23 h', '1 d', '400 d'],
  )
  t.is(durationText(-5), '0 s')
})

test('a moment is an age, and never in the future', (t) => {
  t.is(agoText(10_000, 10_500), 'now')
  t.is(agoText(20_000, 10_000), 'now')
  t.is(agoText(10_000, 130_000), '2 min ago')
  t.is(exactTimeText(0), '1970-01-01 00:00:00.000 UTC')
})

test('a long text is shortened in the middle, a short one is not', (t) => {
  t.is(shortened('So11111111111111111111111111111111111111112'), 'So11…1112')
  t.is(shortened('123456789'), '123456789')
  t.is(shortened('abcdefghijklmnopqrstuvwxyz', 6), 'abcdef…uvwxyz')
  t.is(spaced('top10_concentration_of_all'), 'top10 concentration of all')
})
