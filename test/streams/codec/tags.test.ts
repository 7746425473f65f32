/** The generated streams/codec/tags.ts against the .proto files. */
import test from 'ava'
import { tagsSource } from '../../../proto/generate.ts'
import { readText } from '../../support/sources.ts'

test('the checked-in tags equal the tags of the .proto files', (t) => {
  t.is(readText('streams/codec/tags.ts'), tagsSource(), 'run "npm run generate:tags"')
})
