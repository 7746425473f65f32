/** `npm run generate:docs`: writes the generated pages of docs/. */
import { writeFile } from 'node:fs/promises'
import { generatedPages } from './pages.ts'

const DOCS = new URL('../../docs/', import.meta.url)

for (const [name, text] of Object.entries(await generatedPages())) {
  await writeFile(new URL(name, DOCS), text)
}
