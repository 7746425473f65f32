/** Renders a caller's quota as the response of /credits: the same numbers as the rate-limit headers. */

import { remainingOf } from '../../gateway/admission-control.ts'
import { isAtLeast, MONTHLY_NOTE, TIER_LIMITS, WINDOW_SECONDS } from '../../gateway/limits/tier.ts'
import type { Quota, Tier } from '../../routing/caller.ts'

export function presentCredits(tier: Tier, quota: Quota | undefined, monthlyUsed: bigint): unknown {
  const hasAccess = isAtLeast(tier, 'developer')
  return {
    tier,
    rps_cap: TIER_LIMITS[tier].rps,
    rps_window_secs: WINDOW_SECONDS,
    current_window_used: quota?.used ?? null,
    current_window_remaining: quota === undefined ? null : remainingOf(quota),
    current_window_reset_secs: quota?.resetSeconds ?? null,
    monthly_used: monthlyUsed,
    monthly_used_note: MONTHLY_NOTE,
    tier_features: { smart_money_access: hasAccess, whales_access: hasAccess },
  }
}
