/** The caller of a request, as authentication identifies it, and its quota. Routes, gateway and feeds share it. */

/** Caller of a request, by its key. `lineage` is the same for a key and those it was rotated to. */
export type Caller = {
  keyId: number
  tier: Tier
  lineage: string
  /** Whether it may query by SQL; absent: no. */
  hasSql?: boolean
}

/** Caller of a request without a key and of responses cached for all callers: it has the lowest tier. */
export const ANY_CALLER: Caller = { keyId: 0, tier: 'free', lineage: '' }

export const TIERS = ['free', 'developer', 'pro', 'enterprise'] as const

export type Tier = (typeof TIERS)[number]

/** Rate-limit state of a lineage after a request. */
export type Quota = {
  cap: number
  /** In the last 60 seconds, this request included if it was let in. */
  used: number
  /** Whole seconds until the oldest that counts leaves the window. */
  resetSeconds: number
}
