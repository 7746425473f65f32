/** The ready-made key of `up`, from one start to the next. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { findKey, hashOfKey, revokeKey, rotateKey } from '../../../api/gateway/keys/keys.ts'
import { readyKey } from '../../../deploy/operations/stored-keys.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'

test('the ready key stays the same until it was rotated or revoked', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const home = await temporaryFolder(t)
  const idOf = async (key: string): Promise<number> => (await findKey(db, hashOfKey(key)))?.id ?? 0
  const first = await readyKey(db, home)
  t.is(await readyKey(db, home), first)
  // The rotated key works for a week more, and answers 401 then.
  await rotateKey(db, await idOf(first), 'test')
  const second = await readyKey(db, home)
  t.not(second, first)
  t.is(await readyKey(db, home), second)
  await revokeKey(db, await idOf(second), 'test')
  const third = await readyKey(db, home)
  t.not(third, second)
  t.is(await readFile(join(home, 'key'), 'utf8'), `${third}\n`)
})
