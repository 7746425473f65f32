/**
 * `npm run release -- VERSION [--dry-run]`: the checks of a release, its version in every manifest and in the changelog,
 * a commit and a tag, and the packages. Nothing is pushed or published: the last line names the commands. With `--dry-run` it
 * checks version, tag, work tree and changelog, and prints what it would change and run; VERSION is then the usual next one where it is absent.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { checkNext, hasSection, releasedChangelog, usualNext } from './changes.ts'
import { ROOT } from './files.ts'

const USAGE = 'npm run release -- VERSION, or npm run release -- [VERSION] --dry-run'
const CHANGELOG = join(ROOT, 'CHANGELOG.md')
/** `npm test` is the house rules and every test; the long one has the random tests at their full size. */
const CHECKS = ['npm ci', 'npm run test:long', 'npm run drill', 'npm run drill:upgrade']

function read(command: string): string {
  const [program = '', ...args] = command.split(' ')
  return execFileSync(program, args, { cwd: ROOT, encoding: 'utf8' }).trim()
}

const isReleased = (): boolean =>
  read(`git tag --list v${manifest.version}`) !== '' ||
  hasSection(readFileSync(CHANGELOG, 'utf8'), manifest.version)

function release(version: string, isDry: boolean): void {
  const tag = `v${version}`
  checkNext(manifest.version, version, isReleased())
  if (read(`git tag --list ${tag}`) !== '') throw new Error(`${version} was released before`)
  if (read('git status --porcelain') !== '')
    throw new Error('the work tree has changes that are not committed')
  const day = new Date().toISOString().slice(0, 10)
  const changelog = releasedChangelog(readFileSync(CHANGELOG, 'utf8'), version, day)
  const run = (command: string, ...texts: string[]): void => {
    const [program = '', ...words] = command.split(' ')
    const args = [...words, ...texts]
    console.log(`${isDry ? 'would run' : 'running'}: ${[program, ...args].join(' ')}`)
    if (!isDry) execFileSync(program, args, { cwd: ROOT, stdio: 'inherit' })
  }
  for (const command of CHECKS) run(command)
  console.log(`CHANGELOG.md: "## [${version}] - ${day}"`)
  if (!isDry) writeFileSync(CHANGELOG, changelog)
  run(
    `npm version ${version} --no-git-tag-version --allow-same-version --workspaces --include-workspace-root`,
  )
  run('npm run generate')
  run('git commit --all --message', `chore(release): ${version}`)
  run(`git tag ${tag}`)
  run('npm pack --workspaces --include-workspace-root')
  const last = isDry ? 'then' : 'now'
  console.log(`${last}: git push origin HEAD ${tag}, and npm publish of both packages`)
}

try {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const isDry = values['dry-run']
  const [version = isDry ? usualNext(manifest.version, isReleased()) : undefined] = positionals
  if (version === undefined || positionals.length > 1) throw new Error(`usage: ${USAGE}`)
  release(version, isDry)
} catch (error) {
  console.error(`release: ${(error as Error).message}`)
  process.exitCode = 1
}
