/** Examples of what a client of the WebSocket feed sends, in the order in which one connection may send them. Pure. */
import { MIGRATED, MINT, PAIR, SWAP, WALLET } from './story.ts'

export type FeedExample = { name: string; summary: string; payload: Record<string, unknown> }

const FROM_BUY = { slot: SWAP.slot }

/** By op. */
export const FEED_EXAMPLES: Readonly<Record<string, readonly FeedExample[]>> = {
  subscribe: [
    {
      name: 'pool',
      summary: 'Swaps of a pool: the stored ones from a slot on, then live ones',
      payload: {
        op: 'subscribe',
        id: 1,
        sub: 'pool',
        channel: 'swaps',
        filter: { pools: [PAIR] },
        from: FROM_BUY,
      },
    },
    {
      name: 'wallet',
      summary: 'Buys of a wallet',
      payload: {
        op: 'subscribe',
        id: 2,
        sub: 'wallet',
        channel: 'swaps',
        filter: { wallets: [WALLET], swap_type: 'buy' },
        from: FROM_BUY,
      },
    },
    {
      name: 'pool_events',
      summary: 'All pool events',
      payload: {
        op: 'subscribe',
        id: 3,
        sub: 'events',
        channel: 'pool_events',
        from: { slot: MIGRATED.slot },
      },
    },
    {
      name: 'candles',
      summary: 'The running candle of a pool',
      payload: {
        op: 'subscribe',
        id: 4,
        sub: 'chart',
        channel: 'candles',
        filter: { pools: [PAIR], timeframe: '1m' },
      },
    },
    {
      name: 'token_stats',
      summary: 'Statistics of a token',
      payload: {
        op: 'subscribe',
        id: 5,
        sub: 'token',
        channel: 'token_stats',
        filter: { tokens: [MINT] },
      },
    },
    {
      name: 'rankings',
      summary: 'The ten tokens that trend',
      payload: {
        op: 'subscribe',
        id: 6,
        sub: 'trending',
        channel: 'rankings',
        filter: { board: 'trending', window: '1h', limit: 10 },
      },
    },
  ],
  update: [
    {
      name: 'larger',
      summary: 'Another filter for the same subscription',
      payload: { op: 'update', id: 7, sub: 'pool', filter: { pools: [PAIR], min_sol: 1 } },
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
  ping: [{ name: 'ping', summary: 'Checks the connection', payload: { op: 'ping', id: 10, t: 1 } }],
}
