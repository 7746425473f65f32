/**
 * Every source of chain data, by name: the second half of streams/sources/table.ts, under the same contract and checked by
 * the same conformance test.
 */

import { carRangeSource, carSource } from './car.ts'
import { geyserSource } from './geyser.ts'
import { portalRangeSource, portalSource } from './portal.ts'
import { backfillSource, rpcSource } from './rpc.ts'
import { simulatedChainSource } from './simulated.ts'

export const CHAIN_SOURCES = {
  'simulated-chain': simulatedChainSource,
  backfill: backfillSource,
  rpc: rpcSource,
  'portal-range': portalRangeSource,
  portal: portalSource,
  geyser: geyserSource,
  car: carSource,
  'car-range': carRangeSource,
}
