/** Pages of wallets' swaps, one request after the other, without other load. */
import type { Event } from '../../domain/events/event.ts'
import { expectEqual, sharedClockMs } from '../measure/sample.ts'
import type { BenchContext } from '../measurement.ts'
import { startRest } from '../rest-client.ts'
import type { Stage } from '../stage.ts'

export const PAGE_SWAPS = 100
const PAGES = 300
const WALLETS_MAX = 150

/** Wallets that have a page of swaps and more. */
export function busyWallets(events: readonly Event[]): string[] {
  const users = events.flatMap((event) => (event.kind === 'swap' ? [event.swap.user] : []))
  const byUser = Map.groupBy(users, (user) => user)
  return [...byUser]
    .filter(([, own]) => own.length > PAGE_SWAPS)
    .slice(0, WALLETS_MAX)
    .map(([user]) => user)
}

/** Milliseconds of pages, each of a limit of its own, so that no cache answers. */
export async function readPages(
  context: Pick<BenchContext, 'workerFlags'>,
  stage: Stage,
  wallets: readonly string[],
): Promise<number[]> {
  const rest = await startRest(stage, context.workerFlags)
  try {
    const took: number[] = []
    const warmUp = wallets.length
    for (let count = 0; count < warmUp + PAGES; count++) {
      const limit = PAGE_SWAPS - Math.floor(count / wallets.length)
      const wallet = wallets[count % wallets.length]
      const fromMs = sharedClockMs()
      const { status } = await rest.read(`/swaps/trader/${wallet}?limit=${limit}`)
      expectEqual('status of a page of a wallet', status, 200)
      if (count >= warmUp) took.push(sharedClockMs() - fromMs)
    }
    return took
  } finally {
    await rest.stop()
  }
}
