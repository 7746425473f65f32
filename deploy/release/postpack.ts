/** `npm pack` runs this last: the folder is as before. */
import { renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BACKUP, MANIFEST, ROOT } from './files.ts'

renameSync(BACKUP, MANIFEST)
rmSync(dirname(BACKUP), { recursive: true })
rmSync(join(ROOT, 'dist'), { recursive: true })
