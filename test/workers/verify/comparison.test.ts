/** Hashes of compared tables: alike for parts in any order, and others for any other row. */
import test from 'ava'
import { Comparison } from '../../../workers/verify/comparison.ts'

type Row = readonly [part: string, key: string, stored: string, folded?: string]

const ROWS: readonly Row[] = [
  ['a', 'a 1', 'x'],
  ['a', 'a 2', 'y'],
  ['b', 'b 1', 'z'],
]

function reportOf(rows: readonly Row[]) {
  const comparison = new Comparison('table')
  for (const [part, key, stored, folded = stored] of rows) {
    comparison.row(key, stored, folded, part)
  }
  return comparison.report()
}

test('parts have one hash in any order, their rows in one', (t) => {
  const [first, second, third] = ROWS as [Row, Row, Row]
  const { stored, folded, rows, equal } = reportOf(ROWS)
  t.deepEqual([rows, equal, stored === folded], [3, true, true])
  t.is(reportOf([third, first, second]).stored, stored)
  t.not(reportOf([second, first, third]).stored, stored)
})

test('a row that differs, is missing or is of another part changes the hash', (t) => {
  const { stored } = reportOf(ROWS)
  const [first, , third] = ROWS as [Row, Row, Row]
  t.not(reportOf([first, ['a', 'a 2', 'Y'], third]).stored, stored)
  t.not(reportOf([first, third]).stored, stored)
  t.not(reportOf([first, ['b', 'a 2', 'y'], third]).stored, stored)
  const differing = reportOf([first, ['a', 'a 2', 'y', 'Y'], third])
  t.is(differing.stored, stored)
  t.is(differing.folded, reportOf([first, ['a', 'a 2', 'Y'], third]).stored)
  t.deepEqual(differing.differences, ['a 2: stored y, folded Y'])
  t.false(differing.equal)
})
