/**
 * Instructions of the venues' programs: their first bytes as hex, and the positions of the accounts that are read. The
 * decoder and the encoder both take them from here. Pure.
 */

/** First bytes as hex, and positions of accounts by their role. */
export type InstructionLayout = {
  readonly tag: string
  readonly at: Readonly<Record<string, number>>
}

type Instructions = Readonly<Record<string, InstructionLayout>>

export const PUMP_SWAPS = {
  buy: { tag: '66063d1201daebea', at: { curve: 3, feeRecipient: 1 } },
  sell: { tag: '33e685a4017f83ad', at: { curve: 3 } },
  buyExactSolIn: { tag: '38fc74089edfcd5f', at: { curve: 3 } },
  buyV2: { tag: 'b817ee6167c5d33d', at: { curve: 10 } },
  sellV2: { tag: '5df6823ce7e940b2', at: { curve: 10 } },
  buyExactQuoteInV2: { tag: 'c2ab1c46684d5b2f', at: { curve: 10 } },
} as const satisfies Instructions

const PUMPSWAP_AT = { baseVault: 7, quoteVault: 8 } as const
export const PUMPSWAP_SWAPS = {
  buy: { tag: '66063d1201daebea', at: PUMPSWAP_AT },
  sell: { tag: '33e685a4017f83ad', at: PUMPSWAP_AT },
  buyExactQuoteIn: { tag: 'c62e1552b4d9e870', at: PUMPSWAP_AT },
} as const satisfies Instructions

const PUMPSWAP_LIQUIDITY_AT = { baseMint: 3, quoteMint: 4 } as const
export const PUMPSWAP_LIQUIDITY = {
  deposit: { tag: 'f223c68952e1f2b6', at: PUMPSWAP_LIQUIDITY_AT },
  withdraw: { tag: 'b712469c946da122', at: PUMPSWAP_LIQUIDITY_AT },
} as const satisfies Instructions

/** The tag is one byte. The vaults of a swap with a market follow one or two accounts of orders. */
export const RAYDIUM_AMM_SWAPS = {
  baseIn: { tag: '09', at: { pool: 1, authority: 2, coinVault: 5, trader: 17 } },
  baseOut: { tag: '0b', at: { pool: 1, authority: 2, coinVault: 5, trader: 17 } },
  baseInV2: { tag: '10', at: { pool: 1, authority: 2, coinVault: 3, trader: 7 } },
  baseOutV2: { tag: '11', at: { pool: 1, authority: 2, coinVault: 3, trader: 7 } },
} as const satisfies Instructions

export const RAYDIUM_AMM_POOLS = {
  created: { tag: '01', at: { pool: 4, mint: 8, creator: 17 } },
  added: { tag: '03', at: { pool: 1 } },
  removed: { tag: '04', at: { pool: 1 } },
} as const satisfies Instructions

const CLMM_AT = { payer: 0, pool: 2, inputVault: 5, outputVault: 6 } as const
export const RAYDIUM_CLMM_SWAPS = {
  swap: { tag: 'f8c69e91e17587c8', at: CLMM_AT },
  swapV2: { tag: '2b04ed0b1ac91e62', at: CLMM_AT },
} as const satisfies Instructions

/**
 * A swap through several pools: after these accounts come, for each pool, its config, its state, the account that receives the
 * output, the vault of the input, that of the output, and others.
 */
export const RAYDIUM_CLMM_ROUTER = {
  tag: '457d73daf5baf2c4',
  at: { payer: 0 },
} as const satisfies InstructionLayout

/** `mint`: the first of two mints beside each other. */
const CLMM_CREATION_AT = { owner: 0, pool: 2, mint: 3 } as const
export const RAYDIUM_CLMM_POOLS = {
  created: { tag: 'e992d18ecf6840bc', at: CLMM_CREATION_AT },
  createdCustomizable: { tag: '2b44d4a7592fa401', at: CLMM_CREATION_AT },
} as const satisfies Instructions

/** Instructions that change the liquidity of a position; those that open one without liquidity are among them. */
export const RAYDIUM_CLMM_LIQUIDITY = {
  increased: { tag: '2e9cf3760dcdfbb2', at: { pool: 2 } },
  increasedV2: { tag: '851d59df45eeb00a', at: { pool: 2 } },
  decreased: { tag: 'a026d06f685b2c01', at: { pool: 3 } },
  decreasedV2: { tag: '3a7fbc3e4f52c460', at: { pool: 3 } },
  opened: { tag: '87802f4d0f98f031', at: { pool: 5 } },
  openedV2: { tag: '4db84ad67056f1c7', at: { pool: 5 } },
  openedWithToken22Nft: { tag: '4dffae527d1dc92e', at: { pool: 4 } },
} as const satisfies Instructions

const CPMM_AT = { payer: 0, pool: 3, inputVault: 6, outputVault: 7 } as const
export const RAYDIUM_CPMM_SWAPS = {
  baseIn: { tag: '8fbe5adac41e33de', at: CPMM_AT },
  baseOut: { tag: '37d96256a34ab4ad', at: CPMM_AT },
} as const satisfies Instructions

/** `mint`: the first of two mints beside each other. */
export const RAYDIUM_CPMM_POOLS = {
  created: { tag: 'afaf6d1f0d989bed', at: { pool: 3, mint: 4, owner: 0 } },
  createdWithPermission: { tag: '3f37fe4131b25979', at: { pool: 4, mint: 5, owner: 1 } },
  added: { tag: 'f223c68952e1f2b6', at: { pool: 2, mint: 10, owner: 0 } },
  removed: { tag: 'b712469c946da122', at: { pool: 2, mint: 10, owner: 0 } },
} as const satisfies Instructions

export const ORCA_SWAPS = {
  swap: { tag: 'f8c69e91e17587c8', at: { pool: 2, vaultA: 4, vaultB: 6, trader: 1 } },
  swapV2: { tag: '2b04ed0b1ac91e62', at: { pool: 4, vaultA: 8, vaultB: 10, trader: 3 } },
} as const satisfies Instructions

export const ORCA_POOLS = {
  created: { tag: '5fb40aac54aee828', at: { pool: 4, mint: 1, owner: 3 } },
  createdV2: { tag: 'cf2d57f21b3fcc43', at: { pool: 6, mint: 1, owner: 5 } },
  createdAdaptive: { tag: '8f5e604cac7c77c7', at: { pool: 7, mint: 1, owner: 5 } },
} as const satisfies Instructions

/** increase_liquidity and decrease_liquidity, version 2 of them, and increase_liquidity_by_token_amounts_v2. */
export const ORCA_LIQUIDITY = {
  added: { tag: '2e9cf3760dcdfbb2', at: { pool: 0 } },
  addedV2: { tag: '851d59df45eeb00a', at: { pool: 0 } },
  addedByAmounts: { tag: 'effb097cd2c6352b', at: { pool: 0 } },
  removed: { tag: 'a026d06f685b2c01', at: { pool: 0 } },
  removedV2: { tag: '3a7fbc3e4f52c460', at: { pool: 0 } },
} as const satisfies Instructions

/** Tags of the swaps of venues 7 to 9: each emits an event. */
const ANCHOR_SWAP = 'f8c69e91e17587c8'
const ANCHOR_SWAP2 = '414b3f4ceb5b5b88'
export const DAMM_V2_SWAP_TAGS = [ANCHOR_SWAP, ANCHOR_SWAP2] as const
export const DBC_SWAP_TAGS = [ANCHOR_SWAP, ANCHOR_SWAP2] as const
/** swap, swap2, and both with an exact output and with a limit of price impact. */
export const DLMM_SWAP_TAGS = [
  ...[ANCHOR_SWAP, ANCHOR_SWAP2],
  ...['fa49652126cf4bb8', '2bd7f784893cf351'],
  ...['38ade6d0ade49ccd', '4a62c0d6b1334b33'],
] as const

/** The same in `swap` and `swap2`. */
export const DAMM_V2_SWAP_AT = { vaultA: 4, vaultB: 5, payer: 8 } as const
export const DBC_SWAP_AT = { baseVault: 5, quoteVault: 6, payer: 9 } as const
export const DLMM_SWAP_AT = { vaultX: 2, vaultY: 3, trader: 10 } as const

/** In each of the instructions that make a curve. */
export const DBC_CREATION_AT = { baseMint: 3, quoteMint: 4 } as const

export const DYNAMIC_AMM_SWAPS = {
  swap: {
    tag: 'f8c69e91e17587c8',
    at: { pool: 0, tradersSource: 1, vaultA: 5, vaultB: 6, trader: 12 },
  },
} as const satisfies Instructions
/** In the instructions that change liquidity. */
export const DYNAMIC_AMM_POOL_AT = 0

const DYNAMIC_AMM_CREATION_AT = { pool: 0, mint: 2 } as const
const DYNAMIC_AMM_CREATION_BY_CONFIG_AT = { pool: 0, mint: 3 } as const
/** `mint`: the first of two mints beside each other. */
export const DYNAMIC_AMM_POOLS = {
  permissioned: { tag: '4d55b29d3230d47e', at: DYNAMIC_AMM_CREATION_AT },
  permissionless: { tag: '76ad299dad486167', at: DYNAMIC_AMM_CREATION_AT },
  withFeeTier: { tag: '06874493e552a971', at: DYNAMIC_AMM_CREATION_AT },
  withConfig: { tag: '07a68aabceabecf4', at: DYNAMIC_AMM_CREATION_BY_CONFIG_AT },
  withConfig2: { tag: '3095dc823d0b09b2', at: DYNAMIC_AMM_CREATION_BY_CONFIG_AT },
  customizable: { tag: '9118acc2db7d03be', at: DYNAMIC_AMM_CREATION_AT },
} as const satisfies Instructions

const DYNAMIC_AMM_LIQUIDITY_AT = { pool: DYNAMIC_AMM_POOL_AT } as const
export const DYNAMIC_AMM_LIQUIDITY = {
  bootstrapped: { tag: '04e4d747e1fd77ce', at: DYNAMIC_AMM_LIQUIDITY_AT },
  added: { tag: 'a8e3323ebdab54b0', at: DYNAMIC_AMM_LIQUIDITY_AT },
  addedImbalanced: { tag: '4f237a54ad0f5dbf', at: DYNAMIC_AMM_LIQUIDITY_AT },
  removed: { tag: '856d2cb338ee7221', at: DYNAMIC_AMM_LIQUIDITY_AT },
  removedFromOneSide: { tag: '5454b142feb90afb', at: DYNAMIC_AMM_LIQUIDITY_AT },
} as const satisfies Instructions
