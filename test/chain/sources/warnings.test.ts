/** An upgrade of the program of a venue reaches the batches of each source of chain data from its provider. */
import test from 'ava'
import { openBlockClient } from '../../../chain/sources/blocks/block-client.ts'
import { PortalClient } from '../../../chain/sources/portal/client.ts'
import type { ChainSource } from '../../../chain/sources/reader.ts'
import { CHAIN_SOURCES } from '../../../chain/sources/table.ts'
import type { BlockWarning } from '../../../domain/decoder-warning.ts'
import { venueOf } from '../../../domain/venue.ts'
import { startPortal } from '../../support/chain/portal/portal-server.ts'
import { startRpcServer } from '../../support/chain/rpc-server.ts'
import { FIRST_SLOT, makeChain, type ServedChain } from '../../support/chain/served-chain.ts'
import { MADE_SIGNATURE, made, upgradeOf } from '../decoder/made-transaction.ts'

const SLOTS = 12
const RANGE = { from: FIRST_SLOT, to: FIRST_SLOT + SLOTS - 1 }
const AT = RANGE.to
const { dex, program } = venueOf(5)

function upgradedChain(): ServedChain {
  const chain = makeChain({ slots: SLOTS, transactions: 6, skipShare: 0 })
  chain.blocks.get(AT)?.transactions.push(made([upgradeOf(program)]))
  return chain
}

async function warningsOf(source: ChainSource): Promise<[cursor: string, BlockWarning][]> {
  const found: [string, BlockWarning][] = []
  for await (const { cursor, reading } of source.open(undefined, new AbortController().signal)) {
    for (const warning of reading?.warnings ?? []) found.push([cursor, warning])
  }
  return found
}

const EXPECTED = [[String(AT), { kind: 'upgrade', dex, subject: `upgrade ${MADE_SIGNATURE}` }]]

test('an upgrade that a node serves comes with the last batch of its slot', async (t) => {
  const server = await startRpcServer(upgradedChain())
  t.teardown(() => server.stop())
  const client = openBlockClient({ rpcUrl: server.url, requestsPerSecond: 10_000 })
  t.deepEqual(await warningsOf(CHAIN_SOURCES.backfill({ client, ...RANGE })), EXPECTED)
})

test('an upgrade that a portal serves comes with the last batch of its slot', async (t) => {
  const portal = await startPortal(upgradedChain())
  t.teardown(() => portal.stop())
  const client = new PortalClient({ url: portal.url, requestsPerSecond: 10_000 })
  t.deepEqual(await warningsOf(CHAIN_SOURCES['portal-range']({ client, ...RANGE })), EXPECTED)
})
