/** How much of a machine's memory PostgreSQL keeps pages in. */
import test from 'ava'
import { sharedBuffersMib } from '../../../deploy/local/postgres.ts'

test('an eighth of a small machine, a quarter of what programs leave of a large one, within bounds', (t) => {
  const machines = [512, 2_048, 4_096, 8_192, 16_384, 24_576, 65_536]
  const shares = machines.map((mib) => sharedBuffersMib(mib, true))
  t.deepEqual(shares, [128, 256, 512, 1_024, 3_072, 5_120, 8_192])
})

test('a database that is thrown away takes little of any machine', (t) => {
  const shares = [512, 2_048, 65_536].map((mib) => sharedBuffersMib(mib, false))
  t.deepEqual(shares, [128, 256, 256])
})
