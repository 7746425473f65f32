/** A part of `npm run generate`: writes the figures of the newest measurements into the documents. */
import { writeFileSync } from 'node:fs'
import { documentTexts } from './documents.ts'

const ROOT = new URL('../../', import.meta.url)

for (const [path, text] of documentTexts()) writeFileSync(new URL(path, ROOT), text)
