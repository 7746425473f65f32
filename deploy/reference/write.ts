/** `npm run generate`: writes every generated file that is checked in. */
import { writeFile } from 'node:fs/promises'
import { generatedFiles } from './generated.ts'

const ROOT = new URL('../../', import.meta.url)

for (const [path, text] of await generatedFiles()) await writeFile(new URL(path, ROOT), text)
