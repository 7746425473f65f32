/** Numbers, times and tables as they are printed. */
import test from 'ava'
import { counted, duration, grouped, table } from '../../../deploy/cli/format.ts'

test('numbers are grouped by thousands', (t) => {
  t.is(grouped(0), '0')
  t.is(grouped(1498), '1,498')
  t.is(grouped(9223372036854775807n), '9,223,372,036,854,775,807')
})

test('one thing is singular, any other number is plural', (t) => {
  t.is(counted(1, 'swap'), '1 swap')
  t.is(counted(0, 'swap'), '0 swaps')
  t.is(counted(1498, 'swap'), '1,498 swaps')
})

test('prints durations in their two largest units', (t) => {
  const cases: [number, string][] = [
    [0, '0.0 s'],
    [440, '0.4 s'],
    [9_900, '9.9 s'],
    [42_000, '42 s'],
    [59_700, '1 min 0 s'],
    [90_000, '1 min 30 s'],
    [7_320_000, '2 h 2 min'],
  ]
  for (const [ms, expected] of cases) t.is(duration(ms), expected)
})

test('a table lines texts up on the left and numbers on the right', (t) => {
  const rows = [
    ['pool', '7'],
    ['ranking', '1,204'],
  ]
  t.is(table(['actor', 'lag'], rows), 'actor      lag\npool         7\nranking  1,204\n')
})

test('a table without rows is its headings', (t) => {
  t.is(table(['id', 'reason'], []), 'id  reason\n')
})
