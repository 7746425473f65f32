// Written by "npm run generate" from the table of venues; not edited by hand.
import type { DexId } from '../../domain/venue.ts'
import type { VenueReader } from '../decoder/venue-reader.ts'
import { KNOWN as meteoraDammV2Known } from './meteora-damm-v2/layout.ts'
import { readPools as meteoraDammV2Pools } from './meteora-damm-v2/pools.ts'
import { readSwaps as meteoraDammV2Swaps } from './meteora-damm-v2/swaps.ts'
import { KNOWN as meteoraDbcKnown } from './meteora-dbc/layout.ts'
import { readPools as meteoraDbcPools } from './meteora-dbc/pools.ts'
import { readSwaps as meteoraDbcSwaps } from './meteora-dbc/swaps.ts'
import { KNOWN as meteoraDlmmKnown } from './meteora-dlmm/layout.ts'
import { readPools as meteoraDlmmPools } from './meteora-dlmm/pools.ts'
import { readSwaps as meteoraDlmmSwaps } from './meteora-dlmm/swaps.ts'
import { KNOWN as meteoraPoolsKnown } from './meteora-pools/layout.ts'
import { readPools as meteoraPoolsPools } from './meteora-pools/pools.ts'
import { readSwaps as meteoraPoolsSwaps } from './meteora-pools/swaps.ts'
import { KNOWN as orcaKnown } from './orca/layout.ts'
import { readPools as orcaPools } from './orca/pools.ts'
import { readSwaps as orcaSwaps } from './orca/swaps.ts'
import { KNOWN as pumpfunKnown } from './pumpfun/layout.ts'
import { readPools as pumpfunPools } from './pumpfun/pools.ts'
import { readSwaps as pumpfunSwaps } from './pumpfun/swaps.ts'
import { KNOWN as pumpswapKnown } from './pumpswap/layout.ts'
import { readPools as pumpswapPools } from './pumpswap/pools.ts'
import { readSwaps as pumpswapSwaps } from './pumpswap/swaps.ts'
import { KNOWN as raydiumAmmKnown } from './raydium-amm/layout.ts'
import { readPools as raydiumAmmPools } from './raydium-amm/pools.ts'
import { readSwaps as raydiumAmmSwaps } from './raydium-amm/swaps.ts'
import { KNOWN as raydiumClmmKnown } from './raydium-clmm/layout.ts'
import { readPools as raydiumClmmPools } from './raydium-clmm/pools.ts'
import { readSwaps as raydiumClmmSwaps } from './raydium-clmm/swaps.ts'
import { KNOWN as raydiumCpmmKnown } from './raydium-cpmm/layout.ts'
import { readPools as raydiumCpmmPools } from './raydium-cpmm/pools.ts'
import { readSwaps as raydiumCpmmSwaps } from './raydium-cpmm/swaps.ts'

export const READERS: Readonly<Record<DexId, VenueReader>> = {
  1: { readSwaps: pumpfunSwaps, readPools: pumpfunPools, known: pumpfunKnown },
  2: { readSwaps: pumpswapSwaps, readPools: pumpswapPools, known: pumpswapKnown },
  3: { readSwaps: raydiumAmmSwaps, readPools: raydiumAmmPools, known: raydiumAmmKnown },
  4: { readSwaps: raydiumClmmSwaps, readPools: raydiumClmmPools, known: raydiumClmmKnown },
  5: { readSwaps: raydiumCpmmSwaps, readPools: raydiumCpmmPools, known: raydiumCpmmKnown },
  6: { readSwaps: orcaSwaps, readPools: orcaPools, known: orcaKnown },
  7: { readSwaps: meteoraDammV2Swaps, readPools: meteoraDammV2Pools, known: meteoraDammV2Known },
  8: { readSwaps: meteoraDbcSwaps, readPools: meteoraDbcPools, known: meteoraDbcKnown },
  9: { readSwaps: meteoraDlmmSwaps, readPools: meteoraDlmmPools, known: meteoraDlmmKnown },
  10: { readSwaps: meteoraPoolsSwaps, readPools: meteoraPoolsPools, known: meteoraPoolsKnown },
}
