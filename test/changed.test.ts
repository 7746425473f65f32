/** The choice of tests for a change, on the tree itself. */
import test from 'ava'
import { type Choice, testsOfChange, withinBound } from './support/changed/choice.ts'
import { changedStatements, usesOfFiles } from './support/changed/uses.ts'
import { listTests } from './support/check/groups.ts'

const { pure, others } = listTests()
const TESTS = [...others, ...pure]
const USES = usesOfFiles()

const choicesOf = (...changed: string[]): Choice[] => testsOfChange(new Set(changed), TESTS, USES)
const namesOf = (...changed: string[]): string[] =>
  choicesOf(...changed).map((choice) => choice.test)

const HOUSE = TESTS.filter((path) => /^test\/[\w-]+\.test\.ts$/.test(path))

const CASES: [change: string, chosen: string, not: string][] = [
  // A reader of a route: its own test, no test of another route.
  [
    'api/resources/lots/read.ts',
    'test/api/resources/lots/lots.test.ts',
    'test/api/resources/movers/movers.test.ts',
  ],
  // A statement, by the file that loads it.
  [
    'sql/queries#lots/find_position',
    'test/api/resources/lots/lots.test.ts',
    'test/api/resources/movers/movers.test.ts',
  ],
  // A statement of a file that several read: its readers only.
  [
    'sql/queries#tokens/list_whales',
    'test/api/resources/tokens/holders.test.ts',
    'test/api/resources/token-traders/token-traders.test.ts',
  ],
  // A fragment, by the statements that include it.
  [
    'sql/fragments/screener_order.sql',
    'test/api/resources/screener/screener.test.ts',
    'test/api/resources/lots/lots.test.ts',
  ],
  // An actor: tests that run all actors for another purpose are not about it.
  [
    'workers/ledger/recompute.ts',
    'test/workers/ledger/any-order.test.ts',
    'test/api/resources/lots/lots.test.ts',
  ],
  // A command, which tests name as the first word of a command line.
  [
    'deploy/commands/chain/backfill.ts',
    'test/deploy/commands/chain/backfill.test.ts',
    'test/deploy/commands/replay.test.ts',
  ],
  // A document that a test reads.
  ['docs/rest.md', 'test/tidy-texts.test.ts', 'test/api/resources/lots/lots.test.ts'],
  // A page, which no import leads to.
  ['web/wallet/page.tsx', 'test/web/wallet.test.ts', 'test/web/console.test.ts'],
  ['web/console/frame.tsx', 'test/api/admin/console.test.ts', 'test/web/wallet.test.ts'],
  // A program that tests start by its name.
  [
    'test/support/programs/feed-program.ts',
    'test/api/feed/killed.test.ts',
    'test/api/resources/lots/lots.test.ts',
  ],
]

for (const [change, chosen, not] of CASES) {
  test(`a change of ${change} chooses ${chosen}`, (t) => {
    const names = namesOf(change)
    t.true(names.includes(chosen), names.join('\n'))
    t.false(
      names.includes(not),
      JSON.stringify(choicesOf(change).find((each) => each.test === not)),
    )
  })
}

test('the rules of the house are always chosen, and a changed test comes first', (t) => {
  const names = namesOf('LICENSE', 'test/api/resources/lots/lots.test.ts')
  const byUse = ['test/recipes.test.ts', 'test/limits.test.ts']
  for (const each of HOUSE) t.is(names.includes(each), !byUse.includes(each), each)
  const { distance, reason } = choicesOf('test/api/resources/lots/lots.test.ts').find((choice) =>
    choice.test.endsWith('/lots.test.ts'),
  )!
  t.deepEqual([distance, reason], [0, 'is changed'])
})

test('a change of a file of statements is one of those that differ', (t) => {
  const first = '-- name: lots/find_a\n-- A.\nselect 1\n'
  const second = '-- name: lots/find_b\n-- B.\nselect 2\n'
  const file = 'sql/queries/lots.sql'
  const between = (before?: string, after?: string) => changedStatements(file, before, after)
  const node = (name: string) => `sql/queries#lots/${name}`
  t.deepEqual(between(first, `${first}\n${second}`), [node('find_b')])
  t.deepEqual(between(`${first}\n${second}`, first), [node('find_b')])
  t.deepEqual(between(`${first}\n${second}`, `${second}\n${first}`), [])
  t.deepEqual(between(first, first.replace('select 1', 'select 3')), [node('find_a')])
  t.deepEqual(between(first, first.replace('-- A.', '-- Another.')), [node('find_a')])
  t.deepEqual(between(undefined, first), [node('find_a')])
  t.deepEqual(between(first, undefined), [node('find_a')])
})

test('a statement that was deleted and is still loaded chooses its readers', (t) => {
  t.true(USES.get('api/resources/lots/read.ts')?.includes('sql/queries#lots/find_position'))
  const uses = new Map([...USES].filter(([path]) => path !== 'sql/queries#lots/find_position'))
  const choices = testsOfChange(new Set(['sql/queries#lots/find_position']), TESTS, uses)
  t.true(choices.some((choice) => choice.test === 'test/api/resources/lots/lots.test.ts'))
})

test('a file that was deleted and is still imported chooses its importers', (t) => {
  const uses = new Map([...USES, ['test/domain/venue.test.ts', ['domain/gone.ts']]])
  const choices = testsOfChange(new Set(['domain/gone.ts']), TESTS, uses)
  const found = choices.find((choice) => choice.test === 'test/domain/venue.test.ts')
  t.is(found?.reason, 'uses "domain/gone.ts"')
})

test('a bound of time leaves out the farthest tests, never one that is changed', (t) => {
  const choice = (name: string, distance: number): Choice => ({ test: name, reason: '', distance })
  const choices = [choice('a', 0), choice('b', 1), choice('c', 2), choice('d', 3)]
  const { chosen, left } = withinBound(choices, (name) => (name === 'd' ? undefined : 10), 25)
  t.deepEqual(
    [chosen, left].map((each) => each.map((one) => one.test).join('')),
    ['abc', 'd'],
  )
  t.is(withinBound(choices, () => 10, 5).chosen.length, 1)
})
