// What `npm test` runs: one stack in a temporary home for all test files, then ava with the
// arguments as given, then the stack is stopped and the home removed, whatever ava's result was.
// The exit code is ava's.

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '../../deploy/local/stack.ts'
import { serverVariables, stackDefaults } from './servers.ts'

const home = await mkdtemp(join(tmpdir(), 'swaptide-test-'))
try {
  const stack = await startStack({ home, ...stackDefaults((line) => console.log(line)) })
  try {
    process.exitCode = await runAva(process.argv.slice(2), serverVariables(stack))
  } finally {
    await stack.stop()
  }
} finally {
  await rm(home, { recursive: true, force: true })
}

function runAva(args: readonly string[], variables: Record<string, string>): Promise<number> {
  const child = spawn('node_modules/.bin/ava', args, {
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  })
  // A terminal's Ctrl-C reaches ava as well: it ends, and then the stack is stopped as always.
  const passOn = (signal: NodeJS.Signals): boolean => child.kill(signal)
  process.on('SIGTERM', passOn)
  process.on('SIGINT', () => {})
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
