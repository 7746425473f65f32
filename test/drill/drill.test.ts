/**
 * The drill: a cluster of every server and two of each part under load, random faults, and afterwards every swap once in
 * the tables and at each subscriber, with the hashes of a single process that was fed the same events.
 *
 * `npm run drill` is the long form; DRILL_FAULTS and DRILL_SEED choose others.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { ensureTopology } from '../../streams/nats/topology.ts'
import { Prng } from '../../streams/simulator/prng.ts'
import { limitMsOf } from '../support/check/times.ts'
import { sealMeanwhile } from '../support/history/seal-meanwhile.ts'
import { verifiedHashes } from '../support/verify/hashes.ts'
import { until } from '../support/workers/pipeline.ts'
import { FAULTS } from './faults.ts'
import {
  clientPorts,
  type Installation,
  NO_DISK,
  openInstallation,
  REQUESTED,
} from './installation.ts'
import { hashesOfOneProcess, identitiesOf, Load, untilAllCaughtUp } from './load.ts'
import { assertEachOnce, keyOf, openReaders } from './readers.ts'
import {
  courseOf,
  reportFault,
  reportPhase,
  type StruckFault,
  saidOfNodes,
  tableOf,
} from './report.ts'
import { type Witness, witnessFeed } from './witness.ts'

const { faultCount: FAULT_COUNT = FAULTS.length, seed: SEED } = REQUESTED
/** Half of what the drill computes grows with them. */
const SWAPS_A_SECOND = REQUESTED.faultCount === undefined ? 200 : 500
const PAUSE_MS_MAX = 3_000
const CATCH_UP_MS = 600_000
/** Short where each kind comes once. */
const FROZEN_MS_MAX = REQUESTED.faultCount === undefined ? 12_000 : 60_000
/** Ava's own limit of a file without progress is off for as long. */
const TIMEOUT_MS = (REQUESTED.faultCount === undefined ? 30 : 240) * 60_000
/** The drill ends with an explanation before its file is ended at its limit. */
const ENDS_MS =
  REQUESTED.faultCount === undefined ? limitMsOf('test/drill/drill.test.ts') - 60_000 : TIMEOUT_MS
const VERIFY_MS = 240_000
/** Milliseconds that a phase may take: of the thread's clock, which begins with the file. */
const leftMs = (): number => Math.max(1, Math.min(CATCH_UP_MS, ENDS_MS - performance.now()))
const WITHOUT = NO_DISK === undefined ? '' : ` (without a full disk: ${NO_DISK})`

test(`each swap is counted once through faults of every server and part${WITHOUT}`, async (t) => {
  t.timeout(TIMEOUT_MS)
  const beganAt = performance.now()
  const secondsSince = (from: number) => (performance.now() - from) / 1_000
  const prng = new Prng([SEED])
  const installation = await openInstallation(t)
  const epoch = installation.topology.feed.epoch
  const key = await keyOf(installation)
  const witness = witnessFeed(t, installation)
  const readers = openReaders(t, clientPorts(installation), key, `${epoch}-0`)

  const reached = (phase: string) => reportPhase(phase, secondsSince(beganAt))
  reached('the load begins')
  const load = new Load(installation, { seed: SEED, swapsASecond: SWAPS_A_SECOND })
  t.teardown(() => load.stop())
  const loading = load.run()
  // A fault that fails first is what the test reports.
  loading.catch(() => {})
  const sealing = sealMeanwhile(t, installation.db)
  const struck: StruckFault[] = []
  const explained = () => explain(installation, struck)
  for (const { name, strike } of drawn(prng)) {
    const [from, atMs] = [performance.now(), Date.now()]
    await strike(installation, { prng, frozenMsMax: FROZEN_MS_MAX }).catch((cause: Error) => {
      throw new Error(`${name}: ${cause.message}\n${explained()}`, { cause })
    })
    const fault = { name, atMs, seconds: secondsSince(from) }
    struck.push(fault)
    reportFault(struck.length, FAULT_COUNT, fault)
    await pause(prng.below(PAUSE_MS_MAX))
  }
  await explaining('sealing under load', sealing.sealed, explained)
  load.stop()
  const published = await loading
  await sealing.stop()
  reached('the load has ended')

  const catchingUp = (boundMs: number) => untilAllCaughtUp(installation, boundMs)
  await explaining('catching up', catchingUp, explained)
  reached('all lanes have caught up')
  await assertSameFeed(t, installation, witness, explained)
  const expected = identitiesOf(published)
  await assertEachOnce(t, installation, readers, expected, {
    boundMs: leftMs(),
    explained: () => `${explained()}\n${saidOfLanes(installation)}`,
  })
  t.deepEqual(
    installation.parts.flatMap(({ unexpected }) => unexpected),
    [],
    explained(),
  )
  reached('all readers are complete')
  const sealed = await explaining('sealing', sealing.end, explained)
  t.true(sealed.segments > 1, explained())
  reached(`${sealed.swaps} swaps are sealed in ${sealed.segments} segments (${sealed.outcomes})`)
  const verifying = (leftMs: number) =>
    verifiedHashes(t, installation, { hint: explained(), boundMs: Math.min(VERIFY_MS, leftMs) })
  const hashes = await explaining('verifying the tables', verifying, explained)
  reached('the tables are verified')
  const alone = (boundMs: number) => hashesOfOneProcess(t, published, boundMs)
  t.deepEqual(hashes, await explaining('one process with the same events', alone, explained))
  const minutes = (secondsSince(beganAt) / 60).toFixed(1)
  t.log(`${struck.length} faults, ${expected.size} swaps, seed ${SEED}, ${minutes} minutes`)
  t.log(tableOf(struck))
})

/**
 * The result of a step, which is given the milliseconds that are left. A failure names the step, its reason, and the warnings and
 * errors of parts and servers; so does a step that no time is left for.
 */
async function explaining<Result>(
  step: string,
  run: (leftMs: number) => Promise<Result>,
  explained: () => string,
): Promise<Result> {
  try {
    const passedMs = performance.now()
    if (passedMs >= ENDS_MS) {
      const [passed, bound] = [passedMs, ENDS_MS].map((ms) => `${Math.round(ms / 1_000)} s`)
      throw new Error(`no time is left: the drill began ${passed} ago, and has ${bound}`)
    }
    return await run(leftMs())
  } catch (cause) {
    // A failed assertion is reported by its own text.
    if (cause instanceof Error && /^(TestFailure|AssertionError)$/.test(cause.name)) throw cause
    throw new Error(`${step}: ${inspect(cause)}\n${explained()}`, { cause })
  }
}

/** With changed messages, NATS lost what its quorum had stored; with only another epoch, a part took FEED for cut off. */
async function assertSameFeed(
  t: ExecutionContext,
  { jetStream, topology, prefix }: Installation,
  witness: Witness,
  explained: () => string,
): Promise<void> {
  let { feed } = topology
  let changed: string[] = []
  // A node of a loaded machine may not answer within the bound of a request.
  await until('FEED is read whole', leftMs(), async () => {
    feed = (await ensureTopology(jetStream, { prefix })).feed
    changed = await witness.changed()
    return true
  })
  const text = `after ${inspect(feed.before)}\n${explained()}`
  const { epoch } = topology.feed
  t.deepEqual({ epoch: feed.epoch, changed }, { epoch, changed: [] }, text)
}

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

const saidOfLanes = ({ parts }: Installation): string =>
  parts.map((part) => `--- lanes of ${part.name}\n${part.saidOfLanes()}`).join('\n')

/** The faults and the warnings and errors of all parts by time, and what the nodes of NATS logged. */
function explain({ parts, nats }: Installation, struck: readonly StruckFault[]): string {
  const faults = struck.map(({ name, atMs, seconds }) => ({
    atMs,
    text: `fault: ${name}, ${seconds.toFixed(1)} s`,
  }))
  return `seed ${SEED}\n${courseOf(parts, faults)}\n${saidOfNodes(nats.nodes)}`
}
