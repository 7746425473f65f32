/**
 * The test support that measurements use, so that a change of the tests meets the bench in one place: simulated nodes,
 * recorded chain data, sample events, the browser.
 */
export { insertSwaps } from '../test/support/api/insert-swaps.ts'
export { carOfRecordedBlocks } from '../test/support/chain/car/car-form.ts'
export { scriptOf } from '../test/support/chain/geyser/script.ts'
export { startGeyserServer } from '../test/support/chain/geyser/server.ts'
export {
  PortalOfRecordedBlocks,
  type PortalServing,
} from '../test/support/chain/portal/recorded-portal.ts'
export { startRpcServer } from '../test/support/chain/rpc-server.ts'
export {
  FIRST_SLOT,
  recordedBlock,
  type ServedChain,
} from '../test/support/chain/served-chain.ts'
export { feedEvent } from '../test/support/feed/written-feed.ts'
export {
  type Segment,
  segmentOf,
  withBlockhashes,
} from '../test/support/history/sealed-rows.ts'
export { storedBytes } from '../test/support/history/stored-bytes.ts'
export { FormulaPool } from '../test/support/market/formula-pool.ts'
export {
  mint,
  pair,
  sampleSwap,
  signatureOf,
  trader,
} from '../test/support/market/sample-swap.ts'
export { writePages } from '../test/support/ranking/refresh.ts'
export { stackDefaults } from '../test/support/servers/servers.ts'
export { CHROMIUM } from '../test/support/web/chromium.ts'
