// Ranges of dates: defaults by the wall clock, ends included, refusals. Pure.

import test from 'ava'
import { ApiError } from '../../../../api/routing/error.ts'
import { dateRangeOf } from '../../../../api/routing/reading/date-range.ts'

/** The last millisecond of 2026-03-01. */
const nowMs = Date.UTC(2026, 2, 2) - 1
const datesOf = (requested: { from?: string; to?: string }, daysMax?: number): [string, string] => {
  const { from, to } = dateRangeOf(requested, {
    nowMs,
    ...(daysMax === undefined ? {} : { daysMax }),
  })
  return [from, to]
}

test('a range ends today and begins 30 days before its end', (t) => {
  t.deepEqual(datesOf({}), ['2026-01-30', '2026-03-01'])
  t.deepEqual(datesOf({ to: '2024-03-01' }), ['2024-01-31', '2024-03-01'])
  t.deepEqual(datesOf({ from: '2026-02-28' }), ['2026-02-28', '2026-03-01'])
  t.deepEqual(datesOf({ from: '2026-03-01' }), ['2026-03-01', '2026-03-01'])
  t.deepEqual(datesOf({ to: '0001-01-01' }), ['0000-12-02', '0001-01-01'])
  const day = Date.UTC(2026, 7, 1)
  const requested = { from: '2026-08-01', to: '2026-08-02' }
  t.deepEqual(dateRangeOf(requested, { nowMs }), {
    ...requested,
    fromMs: day,
    toMs: day + 86_400_000,
  })
})

test('a range that is turned or too long is refused', (t) => {
  const refused: [Parameters<typeof datesOf>, RegExp][] = [
    [[{ from: '2026-03-02' }], /^from "2026-03-02": expected no later than "2026-03-01"$/],
    [[{ from: '2026-01-02', to: '2026-01-01' }], /^from "2026-01-02"/],
    [[{ from: '2026-01-01', to: '2026-04-01' }, 90], /are 91 days: expected at most 90$/],
  ]
  for (const [requested, text] of refused) {
    const error = t.throws(() => datesOf(...requested), { instanceOf: ApiError })
    t.is(error?.code, 'INVALID_PARAM')
    t.regex(error?.message ?? '', text)
  }
  t.notThrows(() => datesOf({ from: '2026-01-01', to: '2026-03-31' }, 90))
})
