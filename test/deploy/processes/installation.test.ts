/** Files of SWAPTIDE_HOME: an unreadable one does not count as absent. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { operatorKey, readyKey } from '../../../deploy/operations/stored-keys.ts'
import { readEndpoints } from '../../../deploy/processes/installation.ts'
import type { Db } from '../../../sql/db.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'

test('names an unreadable stored file, and creates no other', async (t) => {
  const home = await temporaryFolder(t)
  const readers: Record<string, () => Promise<unknown>> = {
    'endpoints.json': () => readEndpoints(home),
    'operator-key': () => operatorKey(undefined, home),
    // The reader of the key rejects before it queries the database.
    key: () => readyKey(undefined as unknown as Db, home),
  }
  for (const [name, read] of Object.entries(readers)) {
    // The one thing that no account can read as a file, root neither.
    await mkdir(join(home, name))
    const { message } = (await t.throwsAsync(read())) ?? {}
    t.true(message?.startsWith(`"${join(home, name)}" cannot be read: use the account`), message)
  }
  t.deepEqual((await readdir(home)).sort(), Object.keys(readers).sort())
})

test('truncated endpoints belong to no installation', async (t) => {
  const home = await temporaryFolder(t)
  for (const text of ['', '\0\0\0', '{"databaseUrl": "postgres://']) {
    await writeFile(join(home, 'endpoints.json'), text)
    t.is(await readEndpoints(home), undefined)
  }
})
