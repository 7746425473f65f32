/** `npm test -- --changed [BASE]`: the files that differ from a commit, and the tests that are run for them. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listTests, type Tests } from '../check/groups.ts'
import { secondsOf } from '../check/times.ts'
import { ROOT, readText } from '../sources.ts'
import { testsOfChange, withinBound } from './choice.ts'
import { changedStatements, STATEMENT_FILE, usesOfFiles } from './uses.ts'

/** Seconds of all files together; several run at once, so that a run takes about three minutes on 2 idle cores. */
const BOUND_SECONDS = 400

/**
 * Tests of the change since `base`, uncommitted files included; by default since the branch left `origin/main`. Prints
 * each with its reason, and how many were left out. Throws where git does not know the base.
 */
export async function changedTests(base?: string): Promise<Tests> {
  const since = base ?? (await firstAnswer(['merge-base', 'HEAD', 'origin/main'])) ?? 'HEAD'
  const files = new Set([
    ...(await git(['diff', '--name-only', '--no-renames', since, '--'])),
    ...(await git(['ls-files', '--others', '--exclude-standard'])),
  ])
  const changed = new Set([...files, ...(await statementsOf(files, since))])
  const { pure, others } = listTests()
  const choices = testsOfChange(changed, [...others, ...pure], usesOfFiles())
  const { chosen, left } = withinBound(choices, secondsOf, BOUND_SECONDS)
  console.log(`${files.size} files differ from ${since.slice(0, 12)}; ${chosen.length} test files:`)
  for (const { test, reason } of chosen) console.log(`  ${test}  ${reason}`)
  if (left.length > 0) {
    console.log(
      `${left.length} test files reach the change by a longer way and are left out: "npm test" runs all`,
    )
  }
  const isChosen = new Set(chosen.map(({ test }) => test))
  return {
    pure: pure.filter((test) => isChosen.has(test)),
    others: others.filter((test) => isChosen.has(test)),
  }
}

/** Statements that differ, as nodes of uses: a test of another statement in the same file is not chosen. */
async function statementsOf(files: ReadonlySet<string>, since: string): Promise<string[]> {
  const changed = [...files].filter((path) => STATEMENT_FILE.test(path))
  const found = changed.map(async (path) => {
    const before = await gitText(['show', `${since}:${path}`]).catch(() => undefined)
    const after = existsSync(join(ROOT, path)) ? readText(path) : undefined
    return changedStatements(path, before, after)
  })
  return (await Promise.all(found)).flat()
}

async function git(args: readonly string[]): Promise<string[]> {
  return (await gitText(args)).split('\n').filter((line) => line !== '')
}

async function gitText(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd: ROOT })
  return stdout
}

/** Undefined where git refuses, as in a clone without that branch. */
async function firstAnswer(args: readonly string[]): Promise<string | undefined> {
  const lines = await git(args).catch(() => [])
  return lines[0]
}
