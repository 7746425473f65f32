/** Response of /credits: remaining quota of the key and features of its tier. */
import Type, { type Static } from 'typebox'
import { TIERS } from '../../routing/caller.ts'

const perWindow = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], {
    description: `${description}; null where the tier has no cap`,
  })

export const credits = Type.Object(
  {
    tier: Type.Enum([...TIERS], { title: 'Tier' }),
    rps_cap: perWindow('Sustained requests a second'),
    rps_window_secs: Type.Integer({ description: 'The cap is counted over so many seconds' }),
    current_window_used: perWindow('Requests of the last 60 seconds, this one included'),
    current_window_remaining: perWindow('Requests that are admitted now'),
    current_window_reset_secs: perWindow('Seconds until the oldest request leaves the window'),
    monthly_used: Type.Integer({ description: 'Requests of this calendar month (UTC)' }),
    monthly_used_note: Type.String(),
    tier_features: Type.Object(
      {
        smart_money_access: Type.Boolean(),
        whales_access: Type.Boolean(),
      },
      { title: 'TierFeatures' },
    ),
  },
  { title: 'Credits' },
)
export type Credits = Static<typeof credits>
