// Written by "npm run generate" from the table of venues; not edited by hand.
import type { DexId } from '../../domain/venue.ts'
import type { VenueReader } from '../decoder/venue-reader.ts'
import { readPools as meteoraDammV2Pools } from './meteora-damm-v2/pools.ts'
import { readSwaps as meteoraDammV2Swaps } from './meteora-damm-v2/swaps.ts'
import { readPools as meteoraDbcPools } from './meteora-dbc/pools.ts'
import { readSwaps as meteoraDbcSwaps } from './meteora-dbc/swaps.ts'
import { readPools as meteoraDlmmPools } from './meteora-dlmm/pools.ts'
import { readSwaps as meteoraDlmmSwaps } from './meteora-dlmm/swaps.ts'
import { readPools as meteoraPoolsPools } from './meteora-pools/pools.ts'
import { readSwaps as meteoraPoolsSwaps } from './meteora-pools/swaps.ts'
import { readPools as orcaPools } from './orca/pools.ts'
import { readSwaps as orcaSwaps } from './orca/swaps.ts'
import { readPools as pumpfunPools } from './pumpfun/pools.ts'
import { readSwaps as pumpfunSwaps } from './pumpfun/swaps.ts'
import { readPools as pumpswapPools } from './pumpswap/pools.ts'
import { readSwaps as pumpswapSwaps } from './pumpswap/swaps.ts'
import { readPools as raydiumAmmPools } from './raydium-amm/pools.ts'
import { readSwaps as raydiumAmmSwaps } from './raydium-amm/swaps.ts'
import { readPools as raydiumClmmPools } from './raydium-clmm/pools.ts'
import { readSwaps as raydiumClmmSwaps } from './raydium-clmm/swaps.ts'
import { readPools as raydiumCpmmPools } from './raydium-cpmm/pools.ts'
import { readSwaps as raydiumCpmmSwaps } from './raydium-cpmm/swaps.ts'

export const READERS: Readonly<Record<DexId, VenueReader>> = {
  1: { readSwaps: pumpfunSwaps, readPools: pumpfunPools },
  2: { readSwaps: pumpswapSwaps, readPools: pumpswapPools },
  3: { readSwaps: raydiumAmmSwaps, readPools: raydiumAmmPools },
  4: { readSwaps: raydiumClmmSwaps, readPools: raydiumClmmPools },
  5: { readSwaps: raydiumCpmmSwaps, readPools: raydiumCpmmPools },
  6: { readSwaps: orcaSwaps, readPools: orcaPools },
  7: { readSwaps: meteoraDammV2Swaps, readPools: meteoraDammV2Pools },
  8: { readSwaps: meteoraDbcSwaps, readPools: meteoraDbcPools },
  9: { readSwaps: meteoraDlmmSwaps, readPools: meteoraDlmmPools },
  10: { readSwaps: meteoraPoolsSwaps, readPools: meteoraPoolsPools },
}
