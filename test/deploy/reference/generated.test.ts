/** The generated files that are checked in, against the tables, schemas and declarations that they are generated from. */
import test from 'ava'
import { generatedFiles } from '../../../deploy/reference/generated.ts'
import { readText } from '../../support/sources.ts'

test('every generated file equals the output of "npm run generate"', async (t) => {
  const files = await generatedFiles()
  t.true(files.size >= 7, [...files.keys()].join())
  for (const [path, text] of files) {
    t.true(readText(path) === text, `${path} is out of date: run "npm run generate"`)
  }
})
