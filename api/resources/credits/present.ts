/** Where a caller stands -> the answer of /credits: the numbers of the limit's headers. */
import { remainingOf } from '../../gateway/gate.ts'
import type { Tier } from '../../gateway/keys/keys.ts'
import type { Standing } from '../../gateway/limits/limiter.ts'
import { isAtLeast, TIER_LIMITS, WINDOW_SECONDS } from '../../gateway/limits/tier.ts'

export const MONTHLY_NOTE =
  'for information only: there is no monthly cap; other processes are some seconds behind'

export function presentCredits(
  tier: Tier,
  standing: Standing | undefined,
  monthlyUsed: bigint,
): unknown {
  const hasAccess = isAtLeast(tier, 'developer')
  return {
    tier,
    rps_cap: TIER_LIMITS[tier].rps,
    rps_window_secs: WINDOW_SECONDS,
    current_window_used: standing?.used ?? null,
    current_window_remaining: standing === undefined ? null : remainingOf(standing),
    current_window_reset_secs: standing?.resetSeconds ?? null,
    monthly_used: monthlyUsed,
    monthly_used_note: MONTHLY_NOTE,
    tier_features: { smart_money_access: hasAccess, whales_access: hasAccess },
  }
}
