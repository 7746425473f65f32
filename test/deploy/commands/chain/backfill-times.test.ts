/** `swaptide backfill` over ranges that are named by times, from a portal and from a node. */
import test, { type ExecutionContext } from 'ava'
import { listCoverage } from '../../../../sql/coverage.ts'
import {
  type PortalServerOptions,
  startPortal,
} from '../../../support/chain/portal/portal-server.ts'
import { startRpcServer } from '../../../support/chain/rpc-server.ts'
import { FIRST_SLOT, makeChain, type ServedChain } from '../../../support/chain/served-chain.ts'
import { runHere, settingsOf } from '../../../support/programs/commands.ts'
import { openPipeline } from '../../../support/workers/pipeline.ts'

const SLOTS = 60
const CHAIN = { slots: SLOTS, transactions: 10 }
const PROVIDERS = { portal: ['backfill', '--portal'], node: ['backfill'] } as const

async function open(t: ExecutionContext, chain: ServedChain, options: PortalServerOptions = {}) {
  const portal = await startPortal(chain, options)
  const node = await startRpcServer(chain)
  t.teardown(() => Promise.all([portal.stop(), node.stop()]))
  const pipeline = await openPipeline(t)
  const settings = {
    ...{ ...settingsOf(pipeline), SOURCE_RPC_URL: node.url },
    SOURCE_PORTAL_URL: portal.url,
  }
  const covered = async () => {
    const ranges = await listCoverage(pipeline.db)
    return ranges.map(({ from, to }) => ({ from, to }))
  }
  return { settings, portal, covered }
}

const timeOf = (chain: ServedChain, slot: number): number =>
  (chain.blocks.get(slot)?.blockTime ?? 0) * 1_000

const slotsWithin = (chain: ServedChain, fromMs: number, toMs: number): number[] =>
  [...chain.blocks.keys()].filter((slot) => {
    const time = timeOf(chain, slot)
    return time >= fromMs && time <= toMs
  })

for (const [name, argv] of Object.entries(PROVIDERS)) {
  test(`reads the slots between two times from a ${name}`, async (t) => {
    const chain = makeChain({ ...CHAIN, skipShare: 0 })
    const { settings, covered } = await open(t, chain)
    const [fromMs, toMs] = [timeOf(chain, FIRST_SLOT + 20), timeOf(chain, FIRST_SLOT + 40)]
    const times = [fromMs, toMs].map((ms) => new Date(ms).toISOString())
    const { code, stderr } = await runHere(
      [...argv, '--from', times[0] ?? '', '--to', times[1] ?? ''],
      settings,
    )
    t.is(code, 0, stderr)
    const expected = slotsWithin(chain, fromMs, toMs)
    t.deepEqual(await covered(), [{ from: expected[0] ?? 0, to: expected.at(-1) ?? 0 }])
  })

  test(`reads the last hour up to the newest final block from a ${name}`, async (t) => {
    const chain = makeChain({ ...CHAIN, skipShare: 0 })
    const endS = Math.floor(Date.now() / 1_000)
    for (const [slot, block] of chain.blocks) {
      chain.blocks.set(slot, { ...block, blockTime: endS - (chain.to - slot) * 120 })
    }
    const { settings, portal, covered } = await open(t, chain)
    portal.finalized = name === 'portal' ? chain.to - 5 : chain.to
    const { code, stderr } = await runHere([...argv, '--last', '1h'], settings)
    t.is(code, 0, stderr)
    const [range] = await covered()
    t.is(range?.to, portal.finalized)
    // A few seconds pass before the command reads the clock, less than the two minutes between blocks.
    t.is(range?.from, chain.to - 29)
  })

  test(`explains times that a ${name} has no block of`, async (t) => {
    const chain = makeChain(CHAIN)
    const { settings } = await open(t, chain)
    const from = ['--from', new Date(timeOf(chain, FIRST_SLOT)).toISOString()]
    const newest = `its newest is that of slot ${chain.to}`
    const cases: [argv: string[], message: string][] = [
      [['--from', '2025-01-01', '--to', '2025-01-02'], `--from "2025-01-01": `],
      [[...from, '--to', '2025-01-02'], `--to "2025-01-02": `],
      [['--last', '12h'], '--last "12h": '],
    ]
    for (const [range, message] of cases) {
      const { code, stderr } = await runHere([...argv, ...range], settings)
      t.is(code, 2, stderr)
      t.true(stderr.includes(message) && stderr.includes(newest), stderr)
    }
  })
}

test('explains a time before the first block of a node', async (t) => {
  const chain = makeChain(CHAIN)
  const { settings } = await open(t, chain)
  const argv = ['backfill', '--from', '2024-08-01', '--to', String(chain.to)]
  const { code, stderr } = await runHere(argv, settings)
  t.is(code, 2)
  t.true(stderr.includes(`no block so early: its first is that of slot ${FIRST_SLOT}`), stderr)
})

test('a portal may answer 204 for a time beyond its blocks', async (t) => {
  const chain = makeChain(CHAIN)
  const { settings, portal } = await open(t, chain, { statusOfLateTimes: 204 })
  const { length } = portal.requests
  const { code, stderr } = await runHere(['backfill', '--portal', '--last', '3d'], settings)
  t.is(code, 2, stderr)
  t.true(stderr.includes(`its newest is that of slot ${chain.to}`), stderr)
  t.is(portal.requests.length - length, 2)
})

test('refuses times and spans that cannot be read', async (t) => {
  const { settings } = await open(t, makeChain(CHAIN))
  const cases: [argv: string[], message: RegExp][] = [
    [
      ['--from', 'yesterday', '--to', '5'],
      /--from "yesterday": expected a time like .*, or a slot/,
    ],
    [['--from', '2026-02-30', '--to', '5'], /--from "2026-02-30": the calendar has no day/],
    [['--from', '2026-02-03', '--to', '2026-02-01'], /--to "2026-02-01": expected no earlier/],
    [['--from', '2026-09-01T00:00', '--to', '5'], /--from "2026-09-01T00:00": /],
    [['--from', '5'], /--to is missing: expected a slot or a time/],
    [['--last', '7'], /--last "7": expected a span such as 30m, 12h or 7d/],
    [['--last', '0d'], /--last "0d": expected a span/],
    [['--last', '7d', '--to', '5'], /--last "7d": expected without --from and --to/],
  ]
  for (const [range, message] of cases) {
    const { code, stderr } = await runHere(['backfill', '--portal', ...range], settings)
    t.is(code, 2, stderr)
    t.regex(stderr, message)
  }
})
