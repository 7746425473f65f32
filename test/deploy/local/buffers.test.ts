/** How much of a machine's memory PostgreSQL uses as buffers. */
import test from 'ava'
import { defaultBuffersMib } from '../../../deploy/local/servers/postgres.ts'

test('an eighth of the machine, 1 GiB at most', (t) => {
  const machines = [512, 2_048, 4_096, 8_192, 16_384, 24_576, 65_536]
  const shares = machines.map((mib) => defaultBuffersMib(mib, true))
  t.deepEqual(shares, [128, 256, 512, 1_024, 1_024, 1_024, 1_024])
})

test('a temporary database uses little memory of any machine', (t) => {
  const shares = [512, 2_048, 65_536].map((mib) => defaultBuffersMib(mib, false))
  t.deepEqual(shares, [128, 256, 256])
})
