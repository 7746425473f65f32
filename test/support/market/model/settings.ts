// Settings of a copy back-test that are drawn, of every kind.

import { COPY_DEFAULTS, type CopySettings } from '../../../../domain/market/copy/settings.ts'
import type { Draw } from './market.ts'

/** Each limit is left out most of the time. `slots`: of the market. */
export function drawnSettings(draw: Draw, slots: readonly number[]): CopySettings {
  const maybe = <One>(of: () => One): One | undefined => (draw.once(6) ? of() : undefined)
  const [first, last] = [Math.min(...slots), Math.max(...slots)]
  const ratio = { ratioPpm: draw.size(1, 3e6) }
  return {
    ...COPY_DEFAULTS,
    fromSlot: draw.once(2) ? 0 : first + draw.below(10),
    toSlot: draw.once(2) ? last : first + draw.below(last - first + 1),
    delaySlots: draw.pick([0, 0, 1, 1, 2, 5]),
    position: draw.pick(['end', 'start']),
    size: draw.once(3) ? ratio : { lamports: draw.size(1, 1e10) },
    leaderMin: maybe(() => draw.size(1, 1e8)) ?? 0n,
    leaderMax: maybe(() => draw.size(1_000, 1e10)),
    repeatBuys: !draw.once(5),
    openMax: maybe(() => 1 + draw.below(2)),
    tradeMin: maybe(() => draw.size(1, 1e7)) ?? 0n,
    tradeMax: maybe(() => draw.size(1, 1e9)),
    tokenMax: maybe(() => draw.size(1, 1e10)),
    capital: maybe(() => draw.size(1e5, 1e10)),
    slippageBps: draw.pick([10_000n, 1_000n, 100n, 0n]),
    sellSlippageBps: draw.pick([10_000n, 10_000n, 500n, 0n]),
    extraFeeBps: draw.pick([0n, 0n, 50n]),
    assumedFeeBps: draw.pick([0n, 30n]),
    priorityFee: draw.pick([0n, 100_000n]),
  }
}
