/** Examples of what a client of the WebSocket feed sends, in the order in which one connection may send them. Pure. */
import type { ExampleMarket } from '../../../examples/market.ts'
import type { Op } from './schema.ts'

type FeedExample = { name: string; summary: string; payload: Record<string, unknown> }

/** By op. */
export function requestExamples(
  market: ExampleMarket,
): Readonly<Record<Op, readonly FeedExample[]>> {
  return {
    subscribe: subscriptions(market),
    update: [
      {
        name: 'larger',
        summary: 'Another filter for the same subscription',
        payload: { op: 'update', id: 7, sub: 'pool', filter: { pools: [market.pair], min_sol: 1 } },
      },
    ],
    unsubscribe: [
      {
        name: 'one',
        summary: 'The end of a subscription; "*" ends all of them',
        payload: { op: 'unsubscribe', id: 8, sub: 'pool' },
      },
    ],
    list: [{ name: 'all', summary: 'Lists the subscriptions', payload: { op: 'list', id: 9 } }],
    ping: [
      { name: 'ping', summary: 'Checks the connection', payload: { op: 'ping', id: 10, t: 1 } },
    ],
  }
}

function subscriptions({ pair, wallet, mint, slot, event }: ExampleMarket): FeedExample[] {
  const from = { slot }
  return [
    subscription(1, 'pool', 'Swaps of a pool: the stored ones from a slot on, then live ones', {
      ...{ sub: 'pool', channel: 'swaps', filter: { pools: [pair] }, from },
    }),
    subscription(2, 'wallet', 'Buys of a wallet', {
      ...{ sub: 'wallet', channel: 'swaps', filter: { wallets: [wallet], swap_type: 'buy' }, from },
    }),
    subscription(3, 'pool_events', 'All pool events', {
      ...{ sub: 'events', channel: 'pool_events', from: { slot: event.slot } },
    }),
    subscription(4, 'candles', 'The running candle of a pool', {
      ...{ sub: 'chart', channel: 'candles', filter: { pools: [pair], timeframe: '1m' } },
    }),
    subscription(5, 'token_stats', 'Statistics of a token', {
      ...{ sub: 'token', channel: 'token_stats', filter: { tokens: [mint] } },
    }),
    subscription(6, 'rankings', 'The ten tokens that trend', {
      ...{ sub: 'trending', channel: 'rankings' },
      filter: { board: 'trending', window: '1h', limit: 10 },
    }),
  ]
}

function subscription(id: number, name: string, summary: string, fields: object): FeedExample {
  return { name, summary, payload: { op: 'subscribe', id, ...fields } }
}
