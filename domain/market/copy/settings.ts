/** Settings of a copy back-test: slots, lamports and basis points. */

/** Where in the fill slot the copy trades: after all swaps of the pool, or before them. */
export const COPY_POSITIONS = ['end', 'start'] as const
/** Slots that a copy may be later than its leader. */
export const DELAY_SLOTS_MAX = 64

export type CopySettings = {
  readonly fromSlot: number
  readonly toSlot: number
  readonly delaySlots: number
  readonly position: (typeof COPY_POSITIONS)[number]
  /** Lamports of each buy, or parts of a million of the leader's. */
  readonly size: { readonly lamports: bigint } | { readonly ratioPpm: bigint }
  /** Buys of leaders outside these bounds are not copied. */
  readonly leaderMin: bigint
  readonly leaderMax: bigint | undefined
  /** Whether a mint is bought again while it is held. */
  readonly repeatBuys: boolean
  /** Sleeves that may be open at once. */
  readonly openMax: number | undefined
  readonly tradeMin: bigint
  readonly tradeMax: bigint | undefined
  /** Lamports in one mint, by the cost of what is held. */
  readonly tokenMax: bigint | undefined
  /** Lamports to begin with; undefined: as many as are needed. */
  readonly capital: bigint | undefined
  readonly slippageBps: bigint
  /** 10,000: no bound. */
  readonly sellSlippageBps: bigint
  readonly extraFeeBps: bigint
  readonly assumedFeeBps: bigint
  readonly baseFee: bigint
  readonly priorityFee: bigint
  /** Lamports that an account of a mint holds while it exists. */
  readonly rent: bigint
}

export const COPY_DEFAULTS = {
  delaySlots: 1,
  position: 'end',
  leaderMin: 0n,
  leaderMax: undefined,
  repeatBuys: true,
  openMax: undefined,
  tradeMin: 0n,
  tradeMax: undefined,
  tokenMax: undefined,
  capital: undefined,
  slippageBps: 1_000n,
  sellSlippageBps: 10_000n,
  extraFeeBps: 0n,
  assumedFeeBps: 0n,
  baseFee: 5_000n,
  priorityFee: 100_000n,
  rent: 2_039_280n,
} as const
