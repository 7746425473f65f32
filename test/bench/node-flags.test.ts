/** The flags of Node with which every process of `swaptide` and of the bench is started. */
import { readFile } from 'node:fs/promises'
import test from 'ava'
import { NODE_FLAGS, READER_FLAGS } from '../../bench/programs/node-flags.ts'
import { SWAPTIDE } from '../support/programs/commands.ts'
import { readText } from '../support/sources.ts'

test('the bench starts programs with the flags of the command', async (t) => {
  const flags = NODE_FLAGS.join(' ')
  const script = await readFile(SWAPTIDE, 'utf8')
  t.true(script.includes(`\nexec "$node" ${flags} "$entry" "$@"\n`))
  const reading = `backfill | ingest)\n    exec "$node" ${READER_FLAGS.join(' ')} "$entry" "$@"\n`
  t.true(script.includes(reading))
  const { scripts } = JSON.parse(readText('package.json'))
  t.is(scripts.bench, `node ${flags} bench/main.ts`)
})
