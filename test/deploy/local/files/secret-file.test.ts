// Keys in files: one line of printable ASCII, and nothing of another form is repeated.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { readSecret } from '../../../../deploy/local/files/secret-file.ts'
import {
  operatorKey,
  readyKey,
  storedWebhookKey,
} from '../../../../deploy/operations/stored-keys.ts'
import type { Db } from '../../../../sql/db.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'

test('reads one line, with or without what editors put around it', async (t) => {
  const file = join(await temporaryFolder(t), 'key')
  t.is(await readSecret(file), undefined)
  for (const text of ['key-1', 'key-1\n', 'key-1\r\n', '\ufeffkey-1\n', '\n key-1 \n\n']) {
    await writeFile(file, text)
    t.is(await readSecret(file), 'key-1', JSON.stringify(text))
  }
  for (const text of ['', '\n', '\ufeff']) {
    await writeFile(file, text)
    t.is(await readSecret(file), undefined)
  }
})

test('refuses every stored key of another form without its content, and replaces none', async (t) => {
  const home = await temporaryFolder(t)
  const readers: Record<string, () => Promise<unknown>> = {
    'operator-key': () => operatorKey(undefined, home),
    'webhook-key': () => storedWebhookKey(home),
    key: () => readyKey(undefined as unknown as Db, home),
  }
  for (const [name, read] of Object.entries(readers)) {
    const file = join(home, name)
    for (const text of ['secret\nother', 'secret\0', 'secret other', 'secret\u0007', 'sécret']) {
      await writeFile(file, text)
      const message = `"${file}": expected one line of printable ASCII without spaces`
      await t.throwsAsync(read(), { message })
    }
  }
})
