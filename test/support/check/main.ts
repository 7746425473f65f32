/**
 * `npm run check`: types, lint, house rules and the tests that need no servers, and an audit of the locked
 * dependencies, all next to each other. The tests report as they run, the others when all have ended. Without a response
 * of the registry the audit is skipped, with a line of output: it never fails for that.
 */
import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { CACHE, COMPILED } from '../cache.ts'
import { ROOT } from '../sources.ts'
import { type Exception, type Finding, judgeAudit } from './advisories.ts'

/** Advisories that the project lives with for now. */
const EXCEPTIONS: readonly Exception[] = []
/** Milliseconds that the registry has. */
const AUDIT_MS_MAX = 20_000
const BIN = join(ROOT, 'node_modules/.bin')
// In one thread: several check what they share several times, and the tests have the other core.
const TYPES = ['--singleThreaded', '--incremental', '--tsBuildInfoFile', join(CACHE, 'types.json')]
const PAGE_TYPES = ['--project', 'web', '--singleThreaded']
const LINT = ['check', '--error-on-warnings']
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

function audit(): Promise<Finding> {
  const args = ['audit', '--json', '--package-lock-only', '--fetch-retries=0']
  const options = { cwd: ROOT, timeout: AUDIT_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX }
  const today = new Date().toISOString().slice(0, 10)
  return new Promise((resolve) => {
    // npm also exits with 1 for advisories: its output distinguishes them from errors.
    execFile('npm', args, options, (error, stdout) => {
      if (error?.killed) resolve({ kind: 'skipped', why: `no answer in ${AUDIT_MS_MAX / 1_000} s` })
      else resolve(judgeAudit(stdout, EXCEPTIONS, today))
    })
  })
}

type Outcome = { isGood: boolean; report: string }

/** A program alongside the tests, with all that it wrote. */
function judge(program: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: ROOT, maxBuffer: OUTPUT_BYTES_MAX }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error)
      else resolve({ isGood: error === null, report: stdout + stderr })
    })
  })
}

function runTests(): Promise<boolean> {
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILED }
  const pure = join(ROOT, 'test/support/check/pure.ts')
  const child = spawn(process.execPath, [pure], { cwd: ROOT, stdio: 'inherit', env })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code === 0))
  })
}

/** Whether no advisory concerns the dependencies, as far as is known. */
function report(finding: Finding): boolean {
  if (finding.kind === 'skipped') console.log(`dependency audit skipped: ${finding.why}`)
  else if (finding.kind === 'clean') {
    console.log('dependency audit: nothing high or critical is known')
    for (const each of finding.excepted) console.log(`  excepted for now: ${each}`)
  } else for (const each of finding.advisories) console.error(`dependency audit: ${each}`)
  return finding.kind !== 'advised'
}

const [finding, types, pageTypes, lint, isTested] = await Promise.all([
  audit(),
  judge(join(BIN, 'tsc'), TYPES),
  judge(join(BIN, 'tsc'), PAGE_TYPES),
  judge(join(BIN, 'biome'), LINT),
  runTests(),
])
process.stdout.write(types.report + pageTypes.report + lint.report)
const isAudited = report(finding)
if (!(types.isGood && pageTypes.isGood && lint.isGood && isTested && isAudited))
  process.exitCode = 1
