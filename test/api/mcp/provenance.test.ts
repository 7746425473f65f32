/** The provenance of an answer: the newest slot and its time are of one swap. */
import test from 'ava'
import { readProvenance } from '../../../api/mcp/provenance.ts'
import { CoverageGaps } from '../../../api/resources/coverage/gaps.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { sampleSwap, signatureOf } from '../../support/market/sample-swap.ts'
import { testDatabase } from '../../support/servers/database.ts'

/** The most by which the clock of a producer may be ahead. */
const AHEAD_MS = 9 * 60_000

test('slot and time are those of the newest swap, also of one that is ahead of the clock', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const read = async () => (await readProvenance(db, new CoverageGaps())).as_of
  t.deepEqual(await read(), { slot: null, timestamp: null })
  const aheadMs = Date.now() + AHEAD_MS
  const swaps = [aheadMs - 3_600_000, aheadMs].map((timestamp, n) =>
    sampleSwap({ signature: signatureOf(n), slot: 500 + n, timestamp }),
  )
  await insertSwaps(db, swaps)
  t.deepEqual(await read(), { slot: 501, timestamp: aheadMs })
})
