/**
 * The examples of the documents are what the routes answer: they are recorded again, and equal to the byte.
 * `npm run examples` writes them.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { IS_RECORDING, recordExamples } from '../../support/examples/record.ts'
import { examplesText } from '../../support/examples/text.ts'
import { ROOT, readText } from '../../support/sources.ts'

const PATH = 'api/examples/recorded.json'

test('a recording equals the recorded examples', async (t) => {
  const text = examplesText(await recordExamples(t))
  if (IS_RECORDING) writeFileSync(join(ROOT, PATH), text)
  const recorded = readText(PATH)
  const others = text.split('\n').filter((line) => !recorded.includes(line))
  t.deepEqual(others, [], 'the answers are others: run "npm run examples"')
  t.true(recorded === text, 'run "npm run examples"')
})
