/** Nouns that agree with their counts. */
import test from 'ava'
import { counted, nounOf } from '../../../domain/text/plural.ts'

test('only one has the singular', (t) => {
  t.is(counted(1, 'gap'), '1 gap')
  t.is(counted(1n, 'gap'), '1 gap')
  for (const count of [0, 2, 21, 101, 2n ** 63n - 1n, 1.5])
    t.is(counted(count, 'gap'), `${count} gaps`)
  t.is(nounOf(2, 'identity', 'identities'), 'identities')
  t.is(nounOf(1, 'identity', 'identities'), 'identity')
})
