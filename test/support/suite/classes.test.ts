/** The table of times by class of files. */
import test from 'ava'
import { listTests } from '../check/groups.ts'
import { TIMES_FILE } from '../check/times.ts'
import { readText } from '../sources.ts'
import { PAGE, timesTable, withTimes } from './classes.ts'

const CLASSES = [
  { name: 'api', folders: ['api'], before: 100 },
  { name: 'rules', folders: ['house'] },
]

test('adds up files, groups and files next to the folders, each in its class', (t) => {
  const seconds = {
    '.test/api-resources-1.test.ts': 20,
    '.test/api.test.ts': 1,
    'test/api/fuzz-bodies.test.ts': 4,
    '.test/house.test.ts': 7,
    'test/tidy-texts.test.ts': 2,
  }
  const rows = timesTable(seconds, CLASSES).split('\n').slice(2)
  t.deepEqual(rows, [
    '| api | 3 | 100 | 25 | 20 |',
    '| rules | 2 |  | 9 | 7 |',
    '| all | 5 | 100 | 34 | 20 |',
  ])
  const [head] = timesTable(seconds, [{ name: 'all', folders: ['api', 'house'] }]).split('\n')
  t.is(head, '| class of files | threads | seconds | longest |')
})

test('refuses a file of no class', (t) => {
  t.throws(() => timesTable({ 'test/new/one.test.ts': 1 }, CLASSES), {
    message: '"test/new/one.test.ts" belongs to no class of files',
  })
})

test('each file of tests is of a class', (t) => {
  const { pure, others } = listTests()
  const seconds = Object.fromEntries([...pure, ...others].map((path) => [path, 1]))
  t.notThrows(() => timesTable(seconds))
})

test('the page has the times that are stored', (t) => {
  t.is(withTimes(JSON.parse(readText(TIMES_FILE))), readText(PAGE))
})
