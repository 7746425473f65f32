// The real servers that tests run against. `npm test` starts one stack for all test files and names
// it in the environment (run.ts); a test that stops or kills servers starts a stack of its own.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { type Stack, type StackOptions, startStack } from '../../../deploy/local/stack.ts'
import type { StackUrls } from '../../../deploy/local/state.ts'

const VARIABLES = {
  databaseUrl: 'TEST_DATABASE_URL',
  natsUrl: 'TEST_NATS_URL',
  redisUrl: 'TEST_REDIS_URL',
} as const

/** The shared servers of this test run. */
export function testServers(): StackUrls {
  return {
    databaseUrl: variable(VARIABLES.databaseUrl),
    natsUrl: variable(VARIABLES.natsUrl),
    redisUrl: variable(VARIABLES.redisUrl),
  }
}

/** The environment in which `testServers` finds these. */
export function serverVariables(urls: StackUrls): Record<string, string> {
  return {
    [VARIABLES.databaseUrl]: urls.databaseUrl,
    [VARIABLES.natsUrl]: urls.natsUrl,
    [VARIABLES.redisUrl]: urls.redisUrl,
  }
}

/** A folder that is deleted at the end of the test. */
export async function temporaryFolder(t: Pick<ExecutionContext, 'teardown'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A stack for this test only, stopped and removed when the test has ended. */
export async function ownStack(
  t: ExecutionContext,
  options: Partial<StackOptions> = {},
): Promise<Stack> {
  const home = options.home ?? (await temporaryFolder(t))
  const stack = await startStack({ ...stackDefaults((line) => t.log(line)), ...options, home })
  t.teardown(() => stack.stop())
  return stack
}

/** Options of every stack of the tests: not durable, built in the folder that the environment names. */
export function stackDefaults(log: (line: string) => void): Omit<StackOptions, 'home'> {
  return {
    log,
    durable: false,
    debianMirror: process.env.SWAPTIDE_DEBIAN_MIRROR,
    env: process.env,
  }
}

function variable(name: string): string {
  const value = process.env[name]
  if (value === undefined) {
    throw new Error(`${name} is not set: run the tests by "npm test", which starts the servers`)
  }
  return value
}
