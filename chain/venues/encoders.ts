// Written by "npm run generate" from the table of venues; not edited by hand.
import type { DexId } from '../../domain/venue.ts'
import type { VenueEncoder } from '../encoder/venue-encoder.ts'
import { encoder as meteoraDammV2 } from './meteora-damm-v2/encode.ts'
import { encoder as meteoraDbc } from './meteora-dbc/encode.ts'
import { encoder as meteoraDlmm } from './meteora-dlmm/encode.ts'
import { encoder as meteoraPools } from './meteora-pools/encode.ts'
import { encoder as orca } from './orca/encode.ts'
import { encoder as pumpfun } from './pumpfun/encode.ts'
import { encoder as pumpswap } from './pumpswap/encode.ts'
import { encoder as raydiumAmm } from './raydium-amm/encode.ts'
import { encoder as raydiumClmm } from './raydium-clmm/encode.ts'
import { encoder as raydiumCpmm } from './raydium-cpmm/encode.ts'

export const ENCODERS: Readonly<Record<DexId, VenueEncoder>> = {
  1: pumpfun,
  2: pumpswap,
  3: raydiumAmm,
  4: raydiumClmm,
  5: raydiumCpmm,
  6: orca,
  7: meteoraDammV2,
  8: meteoraDbc,
  9: meteoraDlmm,
  10: meteoraPools,
}
