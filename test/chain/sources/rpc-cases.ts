/**
 * The cases of the sources that read a node: a chain of recorded transactions on a server, one whose next slot does not
 * come, and one with swaps that cannot be read.
 */
import type { ExecutionContext } from 'ava'
import { openBlockClient } from '../../../chain/sources/blocks/block-client.ts'
import type { RpcOptions } from '../../../chain/sources/rpc.ts'
import { CHAIN_SOURCES } from '../../../chain/sources/table.ts'
import type { SourceNotice } from '../../../streams/sources/source.ts'
import type { SourceCase } from '../../streams/sources/cases.ts'
import { startRpcServer } from '../../support/chain/rpc-server.ts'
import {
  eventsOfChain,
  FIRST_SLOT,
  makeChain,
  type ServedChain,
  withUnreadableSwap,
} from '../../support/chain/served-chain.ts'

const SLOTS = 40
export const CHAIN = { slots: SLOTS, transactions: 45 }
export const RANGE = { from: FIRST_SLOT, to: FIRST_SLOT + SLOTS - 1 }
/** Slots with a block that gets a swap without its vault. */
const BROKEN_SLOTS = [FIRST_SLOT, RANGE.to]

async function optionsFor(
  t: ExecutionContext,
  chain: ServedChain,
  newest?: number,
): Promise<RpcOptions> {
  const server = await startRpcServer(chain, newest === undefined ? {} : { newest })
  t.teardown(() => server.stop())
  const client = openBlockClient({ rpcUrl: server.url, requestsPerSecond: 10_000 })
  return { client, pollMs: 10 }
}

const EVENTS = eventsOfChain(makeChain(CHAIN))

function brokenChain(): { chain: ServedChain; notices: [SourceNotice['kind'], string][] } {
  const chain = makeChain(CHAIN)
  const notices = BROKEN_SLOTS.map((slot): [SourceNotice['kind'], string] => [
    'refused',
    `${slot} venue_3 ${withUnreadableSwap(chain, slot)}`,
  ])
  return { chain, notices }
}

export const COMMON = {
  events: EVENTS,
  units: SLOTS,
} as const
export const NOTICES = brokenChain().notices
export const BROKEN_CHAIN = (): ServedChain => brokenChain().chain

export const BACKFILL_CASE: SourceCase = {
  ...COMMON,
  knowsItsEnd: true,
  whole: async (t) =>
    CHAIN_SOURCES.backfill({ ...(await optionsFor(t, makeChain(CHAIN))), ...RANGE }),
  waiting: async (t) =>
    CHAIN_SOURCES.backfill({ ...(await optionsFor(t, makeChain(CHAIN), RANGE.from)), ...RANGE }),
  broken: {
    open: async (t) =>
      CHAIN_SOURCES.backfill({ ...(await optionsFor(t, brokenChain().chain)), ...RANGE }),
    notices: NOTICES,
  },
}

export const RPC_CASE: SourceCase = {
  ...COMMON,
  knowsItsEnd: false,
  whole: async (t) => CHAIN_SOURCES.rpc({ ...(await optionsFor(t, makeChain(CHAIN))), ...RANGE }),
  waiting: async (t) =>
    CHAIN_SOURCES.rpc({ ...(await optionsFor(t, makeChain(CHAIN), RANGE.from)), from: RANGE.from }),
  broken: {
    open: async (t) =>
      CHAIN_SOURCES.rpc({ ...(await optionsFor(t, brokenChain().chain)), ...RANGE }),
    notices: NOTICES,
  },
}
