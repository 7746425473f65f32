/**
 * The recipes of CONTRIBUTING.md, carried out to the end in a copy of the tree. Half of the steps must fail the checks
 * that the recipes name; all of them must pass these, the lint, and every test that needs no servers.
 */
import test from 'ava'
import { listTests } from './support/check/groups.ts'
import { Copy, type Outcome } from './support/recipes/copy.ts'
import type { Edit } from './support/recipes/edit.ts'
import { EDITS, NAMES } from './support/recipes/edits.ts'
import { testServers } from './support/servers/servers.ts'
import { readText } from './support/sources.ts'

const STEPS_MAX = 6
/** The machine may be busy with the rest of the suite. */
const TIMEOUT_MS = 1_800_000

type Recipe = { steps: string[]; checks: string[] }

/** Recipes by their heading: "venue" of "### Add a venue". */
function readRecipes(): Map<string, Recipe> {
  const [, ...sections] = readText('CONTRIBUTING.md').split(/^### Add an? /m)
  return new Map(
    sections.map((section) => {
      const [name = ''] = section.split('\n', 1)
      const [body = '', after = ''] = section.split(/^## /m)[0]?.split('\nChecked by: ') ?? []
      const steps = body.split(/^\d\. /m).slice(1)
      return [
        name,
        { steps, checks: Array.from(after.matchAll(/`([^`]+)`/g), ([, check = '']) => check) },
      ]
    }),
  )
}

const RECIPES = readRecipes()

test('each recipe has at most six steps and names its checks', (t) => {
  const names = ['venue', 'timeframe of candles', 'window', 'route', 'actor', 'source']
  t.deepEqual([...RECIPES.keys()], names)
  for (const [name, { steps, checks }] of RECIPES) {
    t.true(steps.length >= 1 && steps.length <= STEPS_MAX, `${name}: ${steps.length} steps`)
    t.is(checks[0], 'npx tsc', name)
    t.true(checks.length > 1, name)
  }
})

test('carries out every recipe to the end, by steps that it describes', (t) => {
  for (const { recipe, step, path, old } of EDITS) {
    const described = RECIPES.get(recipe)?.steps[step - 1] ?? ''
    const template = path.replaceAll(NAMES[recipe] ?? path, '<name>')
    const folder = template.slice(0, template.lastIndexOf('/') + 1)
    // A new file may be one of several that the step describes by their folder.
    const named = old === undefined ? `\`${folder}` : `\`${path}\``
    t.true(described.includes(named), `${recipe} ${step}: ${path}`)
  }
  for (const [name, { steps }] of RECIPES) {
    const done = new Set(EDITS.filter(({ recipe }) => recipe === name).map(({ step }) => step))
    const left = steps.filter((text, at) => !done.has(at + 1) && !isCommand(text))
    t.deepEqual(left, [], name)
  }
})

/** Steps that change no file by hand, or that the case does not need. */
const isCommand = (text: string): boolean =>
  text.startsWith('Optional') || text.startsWith('Run `npm run ')

/** `npm run generate`, a step of each recipe. */
const GENERATE = 'deploy/reference/write.ts'
const PURE_RUN = 'test/support/check/pure.ts'
const AVA = 'test/support/check/ava.ts'

/** Names a route without a recorded answer. */
const EXAMPLES = ['test/api/openapi/examples.test.ts', '--match=every parameter*']
/** Records it, as `npm run examples` does, and passes with what it recorded. */
const RECORDED = 'test/api/openapi/recorded.test.ts'

/** Types of the project, or of its pages, in one thread; a second run checks only changed files. */
function checkTypes(copy: Copy, ...options: string[]): Promise<Outcome> {
  return copy.run('node_modules/.bin/tsc', '--singleThreaded', ...options)
}

/** Files that the recipes change or add; those that they leave alone are linted with the tree. */
const LINTED = new Set(EDITS.map(({ path }) => path).filter((path) => /\.(tsx?|json)$/.test(path)))

const INCREMENTAL = ['--incremental', '--tsBuildInfoFile', 'types.log']

/** The first step of each recipe, and what its program needs in order to load. */
function isFirst({ recipe, step, path }: Edit): boolean {
  if (recipe === 'route') return step === 1 && path.startsWith('api/resources/')
  if (recipe === 'actor' && step === 3) return true
  return step === 1 || path.endsWith('/table.ts') || path === 'workers/actors.ts'
}

/** Tests without servers that name what is missing after the first steps, with their titles. */
const MISSING: readonly [path: string, title: RegExp][] = [
  ['test/domain/time/timeframe.test.ts', /each timeframe has its width/],
  ['test/domain/time/trade-window.test.ts', /each window has its width/],
  [
    'test/tidy.test.ts',
    /every statement is used by a query\(\) and every query\(\) has its statement/,
  ],
  ['test/tidy-structure.test.ts', /every room of an ordered folder is listed/],
  ['test/deploy/packaged-actors.test.ts', /each actor has a Deployment/],
  ['test/deploy/packaged-actors.test.ts', /each unit has a port/],
  ['test/deploy/packaged-actors.test.ts', /a command that names several workers/],
]

test('carries out the recipes, whose checks name a step left out, and breaks no test', async (t) => {
  t.timeout(TIMEOUT_MS)
  // The tests that the recipes name use the servers of this run.
  testServers()
  const copy = new Copy()
  t.teardown(() => copy.remove())
  for (const edit of EDITS.filter(isFirst)) copy.apply(edit)

  const halfTypes = await checkTypes(copy, ...INCREMENTAL)
  t.not(halfTypes.code, 0)
  const { output: errors } = halfTypes
  t.regex(errors, /venues\/readers\.ts.+'11' is missing/, 'a venue without a folder')
  t.regex(errors, /stated-events\.ts.+'11' is missing/, 'a venue without its facts')
  t.regex(errors, /sources\/cases\.ts.+'"gzip-file"' is missing/, 'a source without a case')
  t.regex(errors, /candles\.test\.ts.+'"30m"' is missing/, 'a timeframe without its model')
  const half = await copy.run(AVA, '--tap', ...new Set(MISSING.map(([path]) => path)))
  for (const [, title] of MISSING) {
    t.regex(half.output, new RegExp(`^not ok .+${title.source}`, 'm'))
  }

  for (const edit of EDITS.filter((each) => !isFirst(each))) copy.apply(edit)
  const outputs = await copy.run(AVA, '--tap', 'test/deploy/reference/generated.test.ts')
  t.regex(outputs.output, /run "npm run generate"/)
  const generated = await copy.run(GENERATE)
  t.is(generated.code, 0, generated.output)
  const unrecorded = await copy.run(AVA, '--tap', ...EXAMPLES)
  t.regex(unrecorded.output, /v2\/venues 200: there is no example: run "npm run examples"/)
  const recorded = await copy.runWith({ RECORD_EXAMPLES: '1' }, AVA, '--tap', RECORDED)
  t.is(recorded.code, 0, recorded.output)
  for (const check of [
    () => checkTypes(copy, ...INCREMENTAL),
    () => checkTypes(copy, '--project', 'web'),
    () => copy.run('node_modules/.bin/biome', 'check', '--error-on-warnings', ...LINTED),
    () => copy.run(PURE_RUN),
    () => copy.run(AVA, '--tap', ...testsOnServers()),
  ]) {
    const { code, output } = await check()
    t.is(code, 0, output)
  }
})

/** The tests that the recipes name, but for those of `PURE_RUN` and the one that recorded. */
function testsOnServers(): string[] {
  const named = new Set([...RECIPES.values()].flatMap(({ checks }) => checks))
  named.delete(RECORDED)
  return listTests().others.filter((path) => named.has(path))
}
