/**
 * `npm run check`: types, lint, house rules and the tests that need no servers, one after another, and beside
 * them an audit of the locked dependencies. Without an answer of the registry the audit is skipped, with a line that
 * says so: it never fails for that.
 */
import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Exception, judgeAudit, type Verdict } from './advisories.ts'
import { ROOT } from './sources.ts'

/** Advisories that the project lives with for now. */
const EXCEPTIONS: readonly Exception[] = []
/** Milliseconds that the registry has. */
const AUDIT_MS_MAX = 20_000
const BIN = join(ROOT, 'node_modules/.bin')
const STEPS = [
  [join(BIN, 'tsc')],
  [join(BIN, 'biome'), 'check', '--error-on-warnings'],
  [process.execPath, join(ROOT, 'test/support/pure.ts')],
] as const

function audit(): Promise<Verdict> {
  const args = ['audit', '--json', '--package-lock-only', '--fetch-retries=0']
  const options = { cwd: ROOT, timeout: AUDIT_MS_MAX, maxBuffer: 64 * 1024 * 1024 }
  const today = new Date().toISOString().slice(0, 10)
  return new Promise((resolve) => {
    // It exits with 1 for advisories, too: what it wrote says which it is.
    execFile('npm', args, options, (fault, stdout) => {
      if (fault?.killed) resolve({ kind: 'skipped', why: `no answer in ${AUDIT_MS_MAX / 1_000} s` })
      else resolve(judgeAudit(stdout, EXCEPTIONS, today))
    })
  })
}

function run([program, ...args]: readonly [string, ...string[]]): Promise<boolean> {
  const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code === 0))
  })
}

/** Whether nothing stands against the dependencies, as far as is known. */
function tell(verdict: Verdict): boolean {
  if (verdict.kind === 'skipped') console.log(`dependency audit skipped: ${verdict.why}`)
  else if (verdict.kind === 'clean') {
    console.log('dependency audit: nothing high or critical is known')
    for (const each of verdict.excepted) console.log(`  excepted for now: ${each}`)
  } else for (const each of verdict.advisories) console.error(`dependency audit: ${each}`)
  return verdict.kind !== 'advised'
}

const audited = audit()
let isGood = true
for (const step of STEPS) {
  isGood = await run(step)
  if (!isGood) break
}
if (!tell(await audited) || !isGood) process.exitCode = 1
