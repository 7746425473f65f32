/** Runs the tests that need no servers, for `npm run check`. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../sources.ts'
import { groupTests, listTests } from './groups.ts'

const { pure } = listTests()
const groups = await groupTests({ pure, others: [] }, { folder: '.check', concurrency: 2 })
try {
  const ava = join(import.meta.dirname, 'ava.ts')
  const args = [ava, ...process.argv.slice(2), ...groups.args]
  const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: ROOT })
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
} finally {
  await groups.remove()
}
