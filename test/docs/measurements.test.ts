/**
 * Figures in documents against the recorded measurements, and the records against the bench: every row with a unit and a
 * goal that can be judged, merged by commit.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { costsFrom } from '../../bench/capacity/inputs.ts'
import { documentTexts, isMet, NAMED_ROWS } from '../../bench/documents/documents.ts'
import type { Figure, Machine } from '../../bench/measure/table.ts'
import {
  FOLDER,
  type Measurements,
  merged,
  newestWith,
  record,
  recordOf,
} from '../../bench/record/measurements.ts'
import { temporaryFolder } from '../support/servers/servers.ts'
import { readText } from '../support/sources.ts'

const LINES_MAX = 100
const MACHINE: Machine = {
  ...{ cpu: 'one', cores: 2, memoryGib: 24, system: 'Debian', node: 'v24.0.0' },
  isTuned: false,
}
const FIGURE: Figure = {
  ...{ figure: 'copy', unit: 'swaps/s', values: [3, 1, 2] },
  ...{ spread: { median: 123.456, least: 1, greatest: 200 }, cpu: { pool: 1.23456 } },
}

const runOf = (commit: string, date: string, ...figures: Figure[]): Measurements =>
  recordOf({ commit, date, machine: MACHINE, load: 0.51, figures })

test('figures of README, performance and capacity are those of the newest measurements', (t) => {
  for (const [path, text] of documentTexts()) {
    t.true(readText(path) === text, `${path} is out of date: run "npm run generate"`)
  }
  t.true(readText('docs/performance.md').split('\n').length <= LINES_MAX)
})

test('a figure that changes in the measurements changes in every document that names it', (t) => {
  const found = newestWith(NAMED_ROWS)
  const rows = found.rows.map((row) => ({
    ...row,
    median: row.median * 2 + 1,
    ...(row.cpu && { cpu: Object.fromEntries(Object.keys(row.cpu).map((name) => [name, 7])) }),
  }))
  const changed = documentTexts({ ...found, rows })
  t.deepEqual([...changed.keys()], ['README.md', 'docs/performance.md', 'docs/capacity.md'])
  for (const [path, text] of changed) t.false(readText(path) === text, path)
})

test('every record has its commit as its name, and rows with a unit, a load and a goal that can be judged', (t) => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
  t.true(names.length > 0)
  for (const name of names) {
    const { commit, date, machine, rows } = JSON.parse(readText(`docs/measurements/${name}`))
    t.is(`${commit}.json`, name)
    t.is(new Date(date).toISOString(), date)
    t.deepEqual(Object.keys(machine), Object.keys(MACHINE))
    for (const { figure, unit, goal, median, least, greatest, rounds, load } of rows) {
      t.is(typeof unit, 'string', figure)
      t.true(least <= median && median <= greatest && rounds > 0 && load >= 0, figure)
      if (goal !== undefined) t.notThrows(() => isMet(goal, median), figure)
    }
  }
})

test('a run is recorded as rows of four digits with its rounds and the load', (t) => {
  t.deepEqual(runOf('abc', '2026-11-29T00:00:00.000Z', FIGURE).rows, [
    {
      ...{ figure: 'copy', unit: 'swaps/s', digits: 0, median: 123.5, least: 1, greatest: 200 },
      ...{ rounds: 3, load: 0.51, cpu: { pool: 1.235 } },
    },
  ])
})

test('a later run of a commit replaces the rows it has, on another machine all', async (t) => {
  const folder = join(await temporaryFolder(t), 'measurements')
  mkdirSync(folder)
  const other = { ...FIGURE, figure: 'reads' }
  const first = runOf('abc', '2026-11-29T00:00:00.000Z', FIGURE, other)
  const spread = { median: 9, least: 9, greatest: 9 }
  const second = runOf('abc', '2026-11-30T00:00:00.000Z', { ...FIGURE, spread })
  record(first, folder)
  t.is(record(second, folder), join(folder, 'abc.json'))
  const found = newestWith(['copy', 'reads'], folder)
  t.is(found.date, second.date)
  t.deepEqual(
    found.rows.map(({ figure, median }) => [figure, median]),
    [
      ['copy', 9],
      ['reads', 123.5],
    ],
  )
  const elsewhere = { ...second, machine: { ...MACHINE, cpu: 'two' } }
  t.deepEqual(merged(first, elsewhere), elsewhere)
})

test('the newest record that has every wanted row wins, and a lacking row is an error that names it', async (t) => {
  const folder = await temporaryFolder(t)
  t.throws(() => newestWith(['copy'], folder), { message: /lacks "copy": run "npm run bench"/ })
  const write = (run: Measurements) =>
    writeFileSync(join(folder, `${run.commit}.json`), JSON.stringify(run))
  write(runOf('old', '2026-11-28T00:00:00.000Z', FIGURE, { ...FIGURE, figure: 'reads' }))
  write(runOf('new', '2026-11-29T00:00:00.000Z', FIGURE))
  t.is(newestWith(['copy'], folder).commit, 'new')
  t.is(newestWith(['copy', 'reads'], folder).commit, 'old')
  t.throws(() => newestWith(['copy', 'chart'], folder), { message: /the newest lacks "chart"/ })
  t.throws(() => costsFrom({ commit: 'new', rows: [] }), { message: /has no CPU of pool/ })
})

test('a goal is judged by its sign and bound, and another goal is an error', (t) => {
  t.true(isMet('<= 1,000', 1_000))
  t.false(isMet('<= 1,000', 1_001))
  t.true(isMet('>= 0.9', 0.9))
  t.false(isMet('>= 0.9', 0.89))
  t.false(isMet('> 0', 0))
  t.true(isMet('0', 0))
  t.false(isMet('0', 1))
  t.throws(() => isMet('fast', 1), { message: /goal "fast": expected/ })
})
