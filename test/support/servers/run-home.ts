/**
 * The folder and the servers of a run of tests: one stack for all test files, in a temporary home that is removed with
 * it. The tests' own folders lie in the home too, so that interrupted tests leave none.
 */
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startStack } from '../../../deploy/local/stack.ts'
import { COMPILED } from '../cache.ts'
import { makeTestHome, removeTestHome } from './home.ts'
import { serverVariables, stackDefaults } from './servers.ts'

/** PostgreSQL's, for all test files that run at once and the programs that they start. */
const CONNECTIONS_MAX = 300

type RunHome = {
  home: string
  /** Runs `work` alongside the servers, with the environment in which tests find them; stops them whatever its result is. */
  withServers<T>(work: (environment: NodeJS.ProcessEnv) => Promise<T>): Promise<T>
}

/** Removes the home whatever the result is. */
export async function inRunHome<T>(work: (run: RunHome) => Promise<T>): Promise<T> {
  const home = await makeTestHome()
  const temporary = join(home, 'tmp')
  await mkdir(temporary)
  // Some tests run programs as another account, which must be able to enter.
  await chmod(temporary, 0o755)
  try {
    return await work({
      home,
      async withServers(work) {
        const stack = await startStack({
          home,
          connectionsMax: CONNECTIONS_MAX,
          ...stackDefaults((line) => console.log(line)),
        })
        const given = { NODE_COMPILE_CACHE: COMPILED, ...process.env }
        try {
          return await work({ ...given, ...serverVariables(stack), TMPDIR: temporary })
        } finally {
          await stack.stop()
        }
      },
    })
  } finally {
    await removeTestHome(home)
  }
}
