/** The generated tables of tags against the .proto files. */
import test from 'ava'
import { TAG_TABLES, tagsSource } from '../../../proto/generate.ts'
import { readText } from '../../support/sources.ts'

for (const table of TAG_TABLES) {
  test(`the checked-in tags of ${table.file} equal those of the .proto files`, (t) => {
    t.is(readText(table.file), tagsSource(table), 'run "npm run generate:tags"')
  })
}
