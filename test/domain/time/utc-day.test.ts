// Dates of the calendar against texts of the same form, and days against Unix ms. Pure.

import test from 'ava'
import fc from 'fast-check'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { dateOf, dayMsOf, dayStartMs, isUtcDate } from '../../../domain/time/utc-day.ts'

test('a date is one that the calendar has', (t) => {
  const dates = ['2026-08-01', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31', '1969-12-31']
  for (const date of dates) t.true(isUtcDate(date), date)
  const others = [
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '0000-01-01',
    '2026-1-1',
    '26-01-01',
    '2026/01/01',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '+002026-01-01',
    '20260101',
    '',
  ]
  for (const text of others) t.false(isUtcDate(text), text)
})

test('a day begins at midnight UTC, before 1970 too', (t) => {
  t.is(dayMsOf('1970-01-02'), DAY_MS)
  t.is(dateOf(DAY_MS - 1), '1970-01-01')
  t.is(dateOf(-1), '1969-12-31')
  t.is(dayStartMs(-1), -DAY_MS)
  t.is(dayStartMs(2 * DAY_MS), 2 * DAY_MS)
})

test('date and beginning of a day are each other, and order alike', (t) => {
  const days = fc.integer({
    min: dayMsOf('0001-01-01') / DAY_MS,
    max: dayMsOf('9999-12-31') / DAY_MS,
  })
  fc.assert(
    fc.property(days, days, (a, b) => {
      t.is(dayMsOf(dateOf(a * DAY_MS)), a * DAY_MS)
      t.true(isUtcDate(dateOf(a * DAY_MS)))
      t.is(dateOf(a * DAY_MS) < dateOf(b * DAY_MS), a < b)
    }),
  )
})
