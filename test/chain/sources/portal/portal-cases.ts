/** The cases of the sources that read a portal: those of a node (rpc-cases.ts), served in the portal's form. */
import type { ExecutionContext } from 'ava'
import { PortalClient } from '../../../../chain/sources/portal/client.ts'
import type { PortalSourceOptions } from '../../../../chain/sources/portal.ts'
import { CHAIN_SOURCES } from '../../../../chain/sources/table.ts'
import type { SourceCase } from '../../../streams/sources/cases.ts'
import { startPortal } from '../../../support/chain/portal/portal-server.ts'
import { makeChain, type ServedChain } from '../../../support/chain/served-chain.ts'
import { BROKEN_CHAIN, CHAIN, COMMON, NOTICES, RANGE } from '../rpc-cases.ts'

async function optionsFor(
  t: ExecutionContext,
  chain: ServedChain,
  newest?: number,
): Promise<PortalSourceOptions> {
  const portal = await startPortal(chain, newest === undefined ? {} : { newest })
  t.teardown(() => portal.stop())
  return { client: new PortalClient({ url: portal.url, requestsPerSecond: 10_000 }) }
}

const range = CHAIN_SOURCES['portal-range']

export const PORTAL_RANGE_CASE: SourceCase = {
  ...COMMON,
  knowsItsEnd: true,
  whole: async (t) =>
    range({ ...(await optionsFor(t, makeChain(CHAIN))), ...RANGE, rangeSlots: 9 }),
  waiting: async (t) => range({ ...(await optionsFor(t, makeChain(CHAIN), RANGE.from)), ...RANGE }),
  broken: {
    open: async (t) => range({ ...(await optionsFor(t, BROKEN_CHAIN())), ...RANGE }),
    notices: NOTICES,
  },
}

export const PORTAL_CASE: SourceCase = {
  ...COMMON,
  knowsItsEnd: false,
  whole: async (t) =>
    CHAIN_SOURCES.portal({ ...(await optionsFor(t, makeChain(CHAIN))), ...RANGE }),
  waiting: async (t) =>
    CHAIN_SOURCES.portal({
      ...(await optionsFor(t, makeChain(CHAIN), RANGE.from)),
      from: RANGE.from,
    }),
  broken: {
    open: async (t) => CHAIN_SOURCES.portal({ ...(await optionsFor(t, BROKEN_CHAIN())), ...RANGE }),
    notices: NOTICES,
  },
}
