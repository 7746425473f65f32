// Every way in which a time may be written, and every slip that a lenient parser would read as another time. Pure.

import test from 'ava'
import fc from 'fast-check'
import { type Edge, readHttpDate, readTime, TIME_MAX_MS } from '../../../domain/time/time.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'

const NOON = Date.UTC(2026, 6, 20, 12)

const UNDERSTOOD: readonly [why: string, text: string, first: number, last?: number][] = [
  ['UTC', '2026-07-20T12:00:00Z', NOON],
  ['without seconds', '2026-07-20T12:00Z', NOON],
  ['lower case, as RFC 3339 allows', '2026-07-20t12:00:00z', NOON],
  ['milliseconds', '2026-07-20T12:00:00.123Z', NOON + 123],
  ['a tenth of a second', '2026-07-20T12:00:00.1Z', NOON + 100],
  ['a comma before the fraction, as ISO 8601 allows', '2026-07-20T12:00:00,5Z', NOON + 500],
  ['microseconds of a whole millisecond', '2026-07-20T12:00:00.123000Z', NOON + 123],
  ['microseconds narrow the range', '2026-07-20T12:00:00.123001Z', NOON + 124, NOON + 123],
  ['nanoseconds narrow the range', '2026-07-20T12:00:00.000000001Z', NOON + 1, NOON],
  ['nanoseconds carry', '2026-07-20T12:00:00.999999999Z', NOON + 1_000, NOON + 999],
  ['an offset ahead of UTC', '2026-07-20T14:00:00+02:00', NOON],
  ['an offset without a colon', '2026-07-20T14:00:00+0200', NOON],
  ['an offset of hours', '2026-07-20T14:00:00+02', NOON],
  ['an offset behind UTC', '2026-07-20T02:30:00-09:30', NOON],
  ['an offset that is unknown', '2026-07-20T12:00:00-00:00', NOON],
  ['an offset over midnight', '2026-07-21T00:00:00+12:00', NOON],
  ['a date', '2026-07-20', NOON - DAY_MS / 2, NOON + DAY_MS / 2 - 1],
  ['29 February of a leap year', '2024-02-29', Date.UTC(2024, 1, 29), Date.UTC(2024, 2, 1) - 1],
  ['29 February of 2000', '2000-02-29', Date.UTC(2000, 1, 29), Date.UTC(2000, 2, 1) - 1],
  ['the first day', '1970-01-01', 0, DAY_MS - 1],
  ['the last day', '9999-12-31', Date.UTC(9999, 11, 31), Date.UTC(10_000, 0, 1) - 1],
  ['Unix ms', '1784548800000', NOON],
  ['the least Unix ms', '100000000000', 1e11],
  ['the greatest Unix ms', '8640000000000000', TIME_MAX_MS],
  ['0, the same in seconds', '0', 0],
]

for (const [why, text, first, last = first] of UNDERSTOOD) {
  test(`reads a time: ${why}`, (t) => {
    t.deepEqual(readTime(text, 'first'), { ms: first })
    t.deepEqual(readTime(text, 'last'), { ms: last })
  })
}

const GENERAL = /^expected a time like .* a date like .* or Unix ms$/
const REFUSED: readonly [why: string, text: string, error: RegExp][] = [
  ['words that Date.parse takes for 2001', 'foo 1', GENERAL],
  ['words', 'yesterday', GENERAL],
  ['nothing', '', GENERAL],
  ['30 February', '2026-02-30', /^the calendar has no day 2026-02-30$/],
  ['30 February with a time', '2026-02-30T00:00:00Z', /^the calendar has no day 2026-02-30$/],
  ['29 February of no leap year', '2026-02-29', /no day/],
  ['29 February of 1900', '1900-02-29', /no day/],
  ['31 April', '2026-04-31', /no day/],
  ['a month 13', '2026-13-01', /no day/],
  ['a month 0', '2026-00-10', /no day/],
  ['a day 0', '2026-01-00', /no day/],
  ['the year 0', '0000-01-01', /no day/],
  ['before 1970', '1969-12-31', /^is before 1970/],
  ['before 1970 by its offset', '1970-01-01T00:00:00+00:01', /^is before 1970/],
  ['a year of six digits', '+275760-09-13T00:00:00Z', GENERAL],
  ['a negative year', '-000001-01-01T00:00:00Z', GENERAL],
  ['a year of two digits', '26-07-20', GENERAL],
  ['hour 24', '2026-07-20T24:00:00Z', /^no hour 24: expected 00 to 23/],
  ['minute 60', '2026-07-20T12:60:00Z', /^no minute 60/],
  ['a leap second', '2016-12-31T23:59:60Z', /^no second 60/],
  ['no zone', '2026-07-20T12:00:00', /^without a zone: end it with Z/],
  ['no zone and no seconds', '2026-07-20T12:00', /^without a zone/],
  ['hours only', '2026-07-20T12Z', GENERAL],
  ['an offset of 24 hours', '2026-07-20T12:00:00+24:00', /^no offset \+24:00/],
  ['an offset of 60 minutes', '2026-07-20T12:00:00+01:60', /^no offset \+01:60/],
  ['an offset whose plus a URL took', '2026-07-20T12:00:00 02:00', /%2B in a URL$/],
  ['a zone by name', '2026-07-20T12:00:00 CET', GENERAL],
  ['a zone in brackets', '2026-07-20T12:00:00Z[UTC]', GENERAL],
  ['a space for the T', '2026-07-20 12:00:00Z', /^no "T" between date and time/],
  ['a space before', ' 2026-07-20', GENERAL],
  ['a line feed behind', '2026-07-20\n', GENERAL],
  ['a line feed behind a time', '2026-07-20T12:00:00Z\n', GENERAL],
  ['a fraction of ten digits', '2026-07-20T12:00:00.0000000001Z', GENERAL],
  ['an empty fraction', '2026-07-20T12:00:00.Z', GENERAL],
  ['a fraction of a minute', '2026-07-20T12:00.5Z', GENERAL],
  ['an American date', '07/20/2026', GENERAL],
  ['the text of a Date', 'Mon Jul 20 2026', GENERAL],
  ['an ordinal date', '2026-201', GENERAL],
  ['a week date', '2026-W30-1', GENERAL],
  ['a month', '2026-07', GENERAL],
  ['a year', '2026', /^too small for Unix ms/],
  ['the basic format of a date', '20260720', /^write the date as 2026-07-20$/],
  ['the basic format', '20260720T120000Z', GENERAL],
  [
    'Unix seconds',
    '1784548800',
    /^looks like Unix seconds \(2026-07-20T12:00:00.000Z\): expected Unix ms, such as 1784548800000$/,
  ],
  ['Unix seconds with a fraction', '1784548800.25', /^looks like Unix seconds .*1784548800250$/],
  ['the greatest integer below Unix ms', '99999999999', /^looks like Unix seconds/],
  ['1', '1', /^too small for Unix ms/],
  ['Unix microseconds', '1784548800000000', /^looks like Unix microseconds: .*1784548800000$/],
  ['Unix nanoseconds', '1784548800000000000', /^expected an integer of 0 to 8640000000000000$/],
  ['one beyond the greatest', '8640000000000001', /^expected an integer of 0 to/],
  ['digits without end', '9'.repeat(400), /^expected an integer of 0 to/],
  ['Unix ms with a fraction', '1784548800000.5', GENERAL],
  ['a leading zero', '01784548800000', GENERAL],
  ['an exponent', '1.7845488e12', GENERAL],
  ['hex', '0x19f7a5d7c00', GENERAL],
  ['a negative number', '-1784548800000', GENERAL],
  ['a plus', '+1784548800000', GENERAL],
  ['separators', '1_784_548_800_000', GENERAL],
  ['digits of another script', '١٧٨٤٥٤٨٨٠٠٠٠٠', GENERAL],
  ['infinity', 'Infinity', GENERAL],
]

for (const [why, text, error] of REFUSED) {
  test(`refuses as a time: ${why}`, (t) => {
    for (const edge of ['first', 'last'] as const) {
      const read = readTime(text, edge)
      if ('ms' in read) t.fail(`understood as ${new Date(read.ms).toISOString()}`)
      else t.regex(read.error, error)
    }
  })
}

const edges = fc.constantFrom<Edge>('first', 'last')

test('each millisecond reads back from its ISO 8601 text and from its digits', (t) => {
  const times = fc.integer({ min: 1e11, max: Date.UTC(9999, 11, 31) })
  fc.assert(
    fc.property(times, edges, (ms, edge) => {
      t.deepEqual(readTime(new Date(ms).toISOString(), edge), { ms })
      t.deepEqual(readTime(String(ms), edge), { ms })
    }),
  )
})

test('any text is a time that can be printed, or is refused with a reason', (t) => {
  const parts = fc.constantFrom(...'0123456789-:T.Z+ ,e_', '2026-07-20', 'T12:00', '1784548800')
  const texts = fc.oneof(
    fc.string(),
    fc.array(parts, { maxLength: 12 }).map((each) => each.join('')),
  )
  fc.assert(
    fc.property(texts, edges, (text, edge) => {
      const read = readTime(text, edge)
      if ('error' in read) t.true(read.error.length > 10)
      else t.true(Number.isSafeInteger(read.ms) && read.ms >= 0 && read.ms <= TIME_MAX_MS)
    }),
  )
})

test('dates of RFC 1123 are read, and all else is none', (t) => {
  t.is(readHttpDate('Sat, 05 Dec 2026 02:15:35 UTC'), Date.UTC(2026, 11, 5, 2, 15, 35))
  t.is(readHttpDate('Sat, 5 Dec 2026 02:15:35 GMT'), Date.UTC(2026, 11, 5, 2, 15, 35))
  const none = [
    '',
    'soon',
    '2026-12-05',
    'Mon, 31 Feb 2026 00:00:00 UTC',
    'Sat, 05 Dez 2026 02:15:35 UTC',
  ]
  for (const text of [...none, 'Sat, 05 Dec 2026 25:15:35 UTC', 'Sat, 05 Dec 2026 02:15:35']) {
    t.is(readHttpDate(text), undefined, text)
  }
})
