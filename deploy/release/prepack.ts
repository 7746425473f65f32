/** `npm pack` runs this first: it writes `dist/`, and `package.json` as a package has it until `postpack.ts` restores it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildProgram } from './build.ts'
import { BACKUP, MANIFEST, ROOT } from './files.ts'
import { type Manifest, packageManifest } from './manifest.ts'

// A run that was killed left the package's.
const text = readFileSync(existsSync(BACKUP) ? BACKUP : MANIFEST, 'utf8')
const manifest = JSON.parse(text) as Manifest
const { name, version, type } = manifest
await buildProgram(ROOT, join(ROOT, 'dist'), { name, version, type })
mkdirSync(dirname(BACKUP), { recursive: true })
writeFileSync(BACKUP, text)
writeFileSync(MANIFEST, `${JSON.stringify(packageManifest(manifest), null, 2)}\n`)
