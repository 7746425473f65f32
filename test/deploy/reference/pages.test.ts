/** The generated pages of docs/, against the tables that they are generated from. */
import test from 'ava'
import { generatedPages } from '../../../deploy/reference/pages.ts'
import { readText } from '../../support/sources.ts'

test('generated pages in docs/ equal the output of "npm run generate:docs"', async (t) => {
  for (const [name, text] of Object.entries(await generatedPages())) {
    t.is(readText(`docs/${name}`), text, `docs/${name} is out of date: run "npm run generate:docs"`)
  }
})
