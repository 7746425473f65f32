/**
 * Every source, by name. A new source is one line here; the type checker and test/streams/sources/conformance.test.ts
 * name what else it needs (a case of the conformance test, a row in docs/sources.md).
 */

import { geyserSource } from './chain/geyser.ts'
import { backfillSource, rpcSource } from './chain/rpc.ts'
import { simulatedChainSource } from './chain/simulated.ts'
import { fileSource } from './file.ts'
import { simulatorSource } from './simulator.ts'
import { standardInputSource } from './standard-input.ts'
import { csvSource } from './tables/csv.ts'
import { parquetSource } from './tables/parquet.ts'

export const SOURCES = {
  file: fileSource,
  csv: csvSource,
  parquet: parquetSource,
  'standard-input': standardInputSource,
  simulator: simulatorSource,
  'simulated-chain': simulatedChainSource,
  backfill: backfillSource,
  rpc: rpcSource,
  geyser: geyserSource,
}

export type SourceName = keyof typeof SOURCES
