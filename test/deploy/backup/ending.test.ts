/** A backup that is stopped ends every process that copies, also one whose parent has ended before it. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { makeBackup } from '../../../deploy/backup/backup.ts'
import { POSTGRES } from '../../../deploy/backup/manifest.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'

/** A program that ends by the signal and leaves a process that has its output open, as pg_basebackup did. */
const COPIES = `#!/bin/sh
sleep 600 &
echo "10/20 kB (50%)" >&2
wait
`

test('a stopped backup ends the process that its program left, and removes what was copied', async (t) => {
  const parent = await temporaryFolder(t)
  const [home, program] = [join(parent, 'home'), join(parent, 'copies')]
  await mkdir(join(home, POSTGRES), { recursive: true })
  await writeFile(program, COPIES, { mode: 0o700 })
  const stopping = new AbortController()
  const database = { name: 'swaptide', systemIdentifier: '1', timeline: 1, committedAt: null }
  await t.throwsAsync(
    makeBackup(join(parent, 'backup'), {
      ...{ home, program, setpriv: 'setpriv', variables: { PATH: '/usr/bin:/bin' }, now: () => 0 },
      stateBefore: async () => ({ database, covered: [], readUpToMs: 0 }),
      signal: stopping.signal,
      onProgress: () => stopping.abort(),
    }),
    { name: 'AbortError' },
  )
  t.deepEqual((await readdir(parent)).sort(), ['copies', 'home'])
})
