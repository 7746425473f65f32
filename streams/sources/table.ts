/**
 * Every source of lines and of the simulated market, by name; those of chain data are in chain/sources/table.ts. A new
 * source is one line here; the type checker and test/streams/sources/conformance.test.ts name what else it needs (a case
 * of the conformance test, a row in docs/sources.md).
 */

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
}
