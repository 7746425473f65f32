/**
 * Limits of each tier: request rates, and how many streams and subscriptions may be open at once. null: no cap. Pure.
 */
import type { Tier } from '../../routing/caller.ts'

type TierLimits = {
  /** Sustained requests a second. */
  rps: number | null
  /** Requests in any 60 seconds. */
  windowRequests: number | null
  /** Open streams per lineage, counted separately for WebSocket and gRPC. */
  streams: number | null
  /** Subscriptions per WebSocket. */
  subscriptions: number
  /** Back-tests that jobs compute for a lineage at once. */
  backtests: number
}

export const TIER_LIMITS: Readonly<Record<Tier, TierLimits>> = {
  free: { rps: 20, windowRequests: 1_200, streams: 1, subscriptions: 10, backtests: 1 },
  developer: { rps: 100, windowRequests: 6_000, streams: 10, subscriptions: 50, backtests: 2 },
  pro: { rps: 500, windowRequests: 30_000, streams: 50, subscriptions: 200, backtests: 8 },
  enterprise: {
    rps: null,
    windowRequests: null,
    streams: null,
    subscriptions: 1_000,
    backtests: 32,
  },
}

export const WINDOW_SECONDS = 60

const RANK: Readonly<Record<Tier, number>> = { free: 0, developer: 1, pro: 2, enterprise: 3 }

export function isAtLeast(tier: Tier, required: Tier): boolean {
  return RANK[tier] >= RANK[required]
}

export const MONTHLY_NOTE =
  'for information only: there is no monthly cap; requests to other processes appear some seconds later'
