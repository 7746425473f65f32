/**
 * The drill: a cluster of every server and two of each part under load, random faults, and afterwards every swap once in
 * the tables and at each subscriber, with the hashes of a single process that was fed the same events.
 *
 * `npm run drill` is the long form; DRILL_FAULTS and DRILL_SEED choose others.
 */
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { ensureTopology } from '../../streams/nats/topology.ts'
import { Prng } from '../../streams/simulator/prng.ts'
import { askedDrill } from '../support/seed.ts'
import { verifiedHashes } from '../support/verify/hashes.ts'
import { FAULTS } from './faults.ts'
import { type Installation, openInstallation } from './installation.ts'
import { hashesOfOneProcess, identitiesOf, Load, untilAllCaughtUp } from './load.ts'
import { assertEachOnce, keyOf, openReaders } from './readers.ts'

const { faultCount: FAULT_COUNT, seed: SEED } = askedDrill({
  faultCount: FAULTS.length,
  seed: 20_261_127,
})
const SWAPS_A_SECOND = 500
const PAUSE_MS_MAX = 3_000
const CATCH_UP_MS = 300_000

test('each swap is counted once through faults of every server and part', async (t) => {
  t.timeout(4 * 3_600_000)
  const prng = new Prng([SEED])
  const installation = await openInstallation(t)
  const epoch = installation.topology.feed.epoch
  const readers = openReaders(t, installation.apis, await keyOf(installation), `${epoch}-0`)

  const load = new Load(installation, { seed: SEED, swapsASecond: SWAPS_A_SECOND })
  const loading = load.run()
  const struck: string[] = []
  for (const fault of drawn(prng)) {
    struck.push(fault.name)
    await fault.strike(installation, prng)
    await pause(prng.below(PAUSE_MS_MAX))
  }
  load.stop()
  const published = await loading

  const explained = () => `seed ${SEED}: ${struck.join(', ')}\n${saidOf(installation)}`
  await untilAllCaughtUp(installation, CATCH_UP_MS).catch((cause: Error) => {
    throw new Error(`${cause.message}\n${explained()}`, { cause })
  })
  const topology = await ensureTopology(installation.jetStream, installation)
  t.is(topology.feed.epoch, epoch, explained())
  const expected = identitiesOf(published)
  await assertEachOnce(t, readers, expected, CATCH_UP_MS)
  t.deepEqual(
    installation.parts.flatMap(({ unexpected }) => unexpected),
    [],
    explained(),
  )
  const hashes = await verifiedHashes(t, installation, explained())
  t.deepEqual(hashes, await hashesOfOneProcess(t, published, CATCH_UP_MS))
  t.log(`${struck.length} faults, ${expected.size} swaps, seed ${SEED}`)
})

/** Every fault once in some order, then any of them. */
function* drawn(prng: Prng) {
  const left = [...FAULTS]
  for (let count = 0; count < FAULT_COUNT; count++) {
    const from = left.length > 0 ? left : FAULTS
    const at = prng.below(from.length)
    const fault = from[at]
    if (left.length > 0) left.splice(at, 1)
    if (fault !== undefined) yield fault
  }
}

const saidOf = ({ parts }: Installation): string =>
  parts.map((part) => `--- ${part.name}\n${part.said().slice(-1_500)}`).join('\n')
