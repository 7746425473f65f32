/**
 * The tests that a change can break, for `npm test -- --changed`. A test is chosen when it uses a changed file, directly
 * or through others; the rules of the house always.
 *
 * The application and the tables of commands and actors use every part, so by them alone each change would choose
 * hundreds of files. They lead a test only to the parts that it is about: those that its folder mirrors or its text names.
 * The nearest tests come first, so that a bound of time leaves out those that reach the change by the longest way.
 */
import { basename, dirname } from 'node:path'
import { readText } from '../sources.ts'
import type { Uses } from './uses.ts'

/** Files that compose all parts of a kind, with the names by which a test's text shows which part it is about. */
const COMPOSITIONS: Readonly<Record<string, (part: string) => readonly string[]>> = {
  'api/routes.ts': namesOfRoutes,
  'deploy/command-table.ts': namesOfCommand,
  'workers/actors.ts': () => [],
}
const PART = /^(api\/resources\/|api\/admin\/v1\/|deploy\/commands\/|workers\/\w+\/actor\.ts)/
/** Checks of what every route declares: `CONTRIBUTING.md`, "Add a route". */
const OF_EVERY_ROUTE = [
  'test/api/openapi/examples.test.ts',
  'test/api/openapi/recorded.test.ts',
  'test/api/openapi/operations.test.ts',
  'test/api/openapi/lint.test.ts',
]
const HOUSE = /^test\/[\w-]+\.test\.ts$/
/** Slow, and few changes can break them: chosen by what they use. */
const BY_USE_ALONE = new Set(['test/recipes.test.ts', 'test/limits.test.ts'])

/** `distance` is the number of uses between test and change; 0 for a test that is changed. */
export type Choice = { test: string; reason: string; distance: number }

/** Chosen tests, nearest first. `changed` are paths from the root, also of deleted files. */
export function testsOfChange(
  changed: ReadonlySet<string>,
  tests: readonly string[],
  uses: Uses,
): Choice[] {
  const choose = (test: string): Choice | undefined =>
    byRule(test, changed) ?? byUses(test, changed, uses)
  return tests
    .flatMap((test) => choose(test) ?? [])
    .toSorted((one, other) => one.distance - other.distance)
}

/** Splits choices at the bound of seconds; a test that was not measured counts as half a minute. */
export function withinBound(
  choices: readonly Choice[],
  secondsOf: (test: string) => number | undefined,
  boundSeconds: number,
): { chosen: Choice[]; left: Choice[] } {
  let sum = 0
  const isWithin = ({ test, distance }: Choice): boolean => {
    if (distance === 0) return true
    sum += secondsOf(test) ?? UNKNOWN_SECONDS
    return sum <= boundSeconds
  }
  const first = choices.findIndex((choice) => !isWithin(choice))
  const count = first === -1 ? choices.length : first
  return { chosen: choices.slice(0, count), left: choices.slice(count) }
}

const UNKNOWN_SECONDS = 30

function byRule(test: string, changed: ReadonlySet<string>): Choice | undefined {
  if (changed.has(test)) return { test, reason: 'is changed', distance: 0 }
  if (HOUSE.test(test) && !BY_USE_ALONE.has(test))
    return { test, reason: 'checks all files', distance: 0 }
  for (const path of changed) {
    const reason = ruleOf(test, path)
    if (reason !== undefined) return { test, reason, distance: 1 }
  }
  return undefined
}

function ruleOf(test: string, path: string): string | undefined {
  if (path.startsWith('api/resources/') && OF_EVERY_ROUTE.includes(test)) return 'checks all routes'
  if (path.startsWith('web/') && isOfPage(test, path)) return `opens pages of "${dirname(path)}"`
  const isSchema = path.startsWith('sql/migrations/') || path.startsWith('sql/functions/')
  return isSchema && test.startsWith('test/sql/') ? `builds the schema with "${path}"` : undefined
}

/** The changed file that the test reaches by the fewest uses. */
function byUses(test: string, changed: ReadonlySet<string>, uses: Uses): Choice | undefined {
  const text = readText(test)
  const reached = new Map<string, { by: string; distance: number }>([
    [test, { by: '', distance: 0 }],
  ])
  // Files that are added meanwhile are visited as well, so nearer ones come first.
  for (const [path, { by, distance }] of reached) {
    if (changed.has(path)) {
      return {
        test,
        reason: by === test ? `uses "${path}"` : `uses "${path}" by "${by}"`,
        distance,
      }
    }
    const namesOf = COMPOSITIONS[path]
    for (const used of uses.get(path) ?? []) {
      const isPart = namesOf !== undefined && PART.test(used)
      const isAbout =
        !isPart || isMirror(test, used) || namesOf(used).some((name) => text.includes(name))
      if (isAbout && !reached.has(used)) reached.set(used, { by: path, distance: distance + 1 })
    }
  }
  return undefined
}

function isMirror(test: string, part: string): boolean {
  return test.startsWith(`test/${dirname(part)}/`) && !test.startsWith('test/deploy/commands/')
}

/** The last fixed segment of each route's path: `/lots`, `/swaps`. */
function namesOfRoutes(part: string): string[] {
  const paths = readText(part).matchAll(/\bpath: [`']([^`']+)[`']/g)
  return Array.from(paths, ([, path = '']) => /(\/[\w-]+)(\/?\{\w+\})*$/.exec(path)?.[1] ?? path)
}

/** Commands have the names of their modules. */
function namesOfCommand(part: string): string[] {
  return [`'${basename(part, '.ts')}'`]
}

/** Pages are bundled by the API when it runs: no import leads to them. */
function isOfPage(test: string, path: string): boolean {
  const [, page = ''] = path.split('/')
  const isPage = test === 'test/web/pages.test.ts' || test === `test/web/${page}.test.ts`
  const isOfConsole = page === 'console' && test.startsWith('test/api/admin/')
  return isPage || isOfConsole || test.startsWith(`test/web/${page}/`)
}
