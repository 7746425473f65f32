/**
 * A portal with a node: transactions that the portal does not have whole come from the node, blocks are compared with the
 * node's, and what neither has is a gap.
 */
import test, { type ExecutionContext } from 'ava'
import { type Event, isChainEvent, payloadOf } from '../../../../domain/events/event.ts'
import { listCoverage } from '../../../../sql/coverage.ts'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'
import {
  type PortalServerOptions,
  startPortal,
} from '../../../support/chain/portal/portal-server.ts'
import { startRpcServer } from '../../../support/chain/rpc-server.ts'
import {
  eventsOfChain,
  FIRST_SLOT,
  type Json,
  makeChain,
  type ServedBlock,
  type ServedChain,
} from '../../../support/chain/served-chain.ts'
import { runHere, settingsOf } from '../../../support/programs/commands.ts'
import { openPipeline, readSwap } from '../../../support/workers/pipeline.ts'

const SLOTS = 20
const RANGE = ['--from', String(FIRST_SLOT), '--to', String(FIRST_SLOT + SLOTS - 1)]
const BACKFILL = ['backfill', '--portal', ...RANGE]

/** `portalChain`: the chain that the portal serves instead. */
async function open(
  t: ExecutionContext,
  options: PortalServerOptions = {},
  portalChain?: (chain: ServedChain) => ServedChain,
) {
  const chain = makeChain({ slots: SLOTS, transactions: 'swaps', skipShare: 0.2 })
  const portal = await startPortal(portalChain?.(chain) ?? chain, options)
  const node = await startRpcServer(chain)
  t.teardown(() => Promise.all([portal.stop(), node.stop()]))
  const pipeline = await openPipeline(t)
  const settings = { ...settingsOf(pipeline), SOURCE_PORTAL_URL: portal.url }
  const countOf = (method: string) => node.requests.filter((each) => each.method === method).length
  return { chain, portal, node, pipeline, settings, countOf }
}

const lines = (events: readonly Event[]): string[] =>
  [...new Set(events.map(printEvent))].toSorted()

const signatureOf = ({ transaction }: Json): string =>
  (transaction as { signatures: string[] }).signatures[0] ?? ''

/** Signatures of every transaction of these slots. */
const signaturesOf = (chain: ServedChain, slots: readonly number[]): Set<string> =>
  new Set(slots.flatMap((slot) => chain.blocks.get(slot)?.transactions.map(signatureOf) ?? []))

test('transactions whose logs the portal dropped come from the node of --rpc', async (t) => {
  const { chain, node, pipeline, settings, countOf } = await open(t, {
    dropsLogs: (signature) => signature < '4',
  })
  const { code, stdout, stderr } = await runHere([...BACKFILL, '--rpc', node.url], settings)
  t.is(code, 0, stderr)
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
  t.true(countOf('getTransaction') > 10)
  t.is(countOf('getBlock'), 0)
  t.regex(
    stdout,
    new RegExp(`read from .*: ${countOf('getTransaction')} transactions in \\d+ slots`),
  )
  t.notRegex(stderr, /dropped the logs/)
})

test('dropped logs are counted at the end without a node, each slot once', async (t) => {
  const { chain, settings } = await open(t, { dropsLogs: () => true })
  const { code, stdout, stderr } = await runHere(BACKFILL, settings)
  t.is(code, 0, stderr)
  const count = chain.blocks.values().reduce((sum, each) => sum + each.transactions.length, 0)
  const text = `the portal dropped the logs of ${count.toLocaleString('en-US')} transactions in ${chain.blocks.size} slots`
  t.true(stdout.includes(text), stdout)
  t.regex(stderr, /further slots with dropped logs are counted, and not listed|dropped the logs of/)
})

test('a slot of whose calls nothing was recorded is a gap, unless a node has them', async (t) => {
  const state: { lost: Set<string> } = { lost: new Set() }
  const { chain, node, pipeline, settings } = await open(t, {
    dropsRecords: (signature) => state.lost.has(signature),
  })
  const [first = 0, second = 0] = [...chain.blocks.keys()].slice(3)
  state.lost = signaturesOf(chain, [first])
  const { code, stdout, stderr } = await runHere(BACKFILL, settings)
  t.is(code, 0, stderr)
  t.regex(stdout, /nothing was recorded of \d+ transactions in 1 slot; 1 slot left as gaps/)
  t.regex(
    stderr,
    new RegExp(`${first} slot ${first}: nothing was recorded of \\d+ of \\d+ transactions`),
  )
  const covered = await listCoverage(pipeline.db)
  t.deepEqual(
    covered.map(({ from, to }) => [from, to]),
    [
      [FIRST_SLOT, first - 1],
      [first + 1, chain.to],
    ],
  )
  t.true(second > first)
  const again = await runHere([...BACKFILL, '--rpc', node.url], settings)
  t.is(again.code, 0, again.stderr)
  t.is((await listCoverage(pipeline.db)).length, 1)
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
})

test('--verify compares every N-th block, and reads those that differ from the node', async (t) => {
  const { chain, node, pipeline, settings, countOf } = await open(t)
  const equal = await runHere([...BACKFILL, '--rpc', node.url, '--verify', '3'], settings)
  t.is(equal.code, 0, equal.stderr)
  const compared = Math.floor(chain.blocks.size / 3)
  const { host } = new URL(node.url)
  t.true(equal.stdout.includes(`${compared} blocks compared with ${host}, 0 differ`), equal.stdout)
  t.is(countOf('getBlock'), compared)
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
})

test('--verify reports a block that lacks a transaction, and publishes that of the node', async (t) => {
  const broken = FIRST_SLOT
  const { chain, node, pipeline, settings } = await open(t, {}, (chain) => {
    const blocks = new Map(chain.blocks)
    const block = blocks.get(broken) as ServedBlock
    blocks.set(broken, { ...block, transactions: block.transactions.slice(0, -1) })
    return { ...chain, blocks }
  })
  const { code, stdout, stderr } = await runHere(
    [...BACKFILL, '--rpc', node.url, '--verify', '1'],
    settings,
  )
  t.is(code, 1)
  t.regex(
    stderr,
    new RegExp(
      `error: slot ${broken} of the portal differs from .*: events: \\d+ missing, 0 added`,
    ),
  )
  t.regex(stdout, /blocks compared with .*, 1 differ/)
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
})

for (const has of ['another block', 'no block'] as const) {
  test(`--verify leaves a slot as a gap where the node has ${has}, which another run closes`, async (t) => {
    const { chain, node, pipeline, settings } = await open(t)
    const [slot = 0, next = 0] = [...chain.blocks.keys()].slice(4)
    const whole = new Map(chain.blocks)
    const served = { ...chain, blocks: new Map(chain.blocks) }
    const block = whole.get(slot) as ServedBlock
    if (has === 'no block') served.blocks.delete(slot)
    else served.blocks.set(slot, { ...block, blockhash: whole.get(next)?.blockhash ?? '' })
    const other = await startRpcServer(served)
    t.teardown(() => other.stop())
    const argv = [...BACKFILL, '--verify', '1']
    const { code, stdout, stderr } = await runHere([...argv, '--rpc', other.url], settings)
    t.is(code, 1)
    const found = has === 'no block' ? 'none' : 'block "\\w+"'
    t.regex(
      stderr,
      new RegExp(
        `error: slot ${slot} of the portal differs from .*: expected block "${block.blockhash}", found ${found}`,
      ),
    )
    t.regex(stdout, /; 1 slot left as gaps; .* blocks compared with .*, 1 differ/)
    const covered = await listCoverage(pipeline.db)
    t.deepEqual(
      covered.map(({ from, to }) => [from, to]),
      [
        [FIRST_SLOT, slot - 1],
        [slot + 1, chain.to],
      ],
    )
    const rest = eventsOfChain(chain).filter(
      (event) => !isChainEvent(event) || payloadOf(event).slot !== slot,
    )
    t.deepEqual(lines(await readSwap(pipeline)), lines(rest))
    const again = await runHere([...argv, '--rpc', node.url], settings)
    t.is(again.code, 0, again.stderr)
    t.is((await listCoverage(pipeline.db)).length, 1)
    t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
  })
}

test('explains --verify without a node', async (t) => {
  const { settings } = await open(t)
  const { code, stderr } = await runHere([...BACKFILL, '--verify', '3'], settings)
  t.is(code, 2)
  t.regex(stderr, /--verify needs a node: name --rpc or set SOURCE_RPC_URL/)
})
