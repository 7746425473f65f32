/** Example values of parameters that are not part of their route's example, from the market of the examples. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { ASSUMED_FEES } from '../../domain/venue.ts'
import type { ExampleMarket } from '../examples/market.ts'

const MS_A_SECOND = 1_000
/** Routes whose range is one of days. */
const DATED = ['performance', 'tokens', 'history', 'calendar'].map(
  (name) => `/v2/pnl/wallets/{wallet}/${name}`,
)
const CALENDAR = '/v2/pnl/leaderboard/kols/calendar'

type Values = Readonly<Record<string, unknown>>

/** By name, or by path and name where that differs. */
export function parameterValues(market: ExampleMarket): Values {
  const { mint, otherMint, wallet, buyMs, slot, saleSlot, event } = market
  const cursors = Object.entries(market.cursors).map(([path, cursor]) => [`${path} cursor`, cursor])
  return {
    ...{ wallet, w: wallet, user: wallet, mint, token: mint, t: mint, token_address: mint },
    ...{ 'mints[]': [mint, otherMint], mints: [mint, otherMint], tokens: [mint, otherMint] },
    ...{ token_addresses: [mint, otherMint], pair_address: market.pair, symbol: mint },
    ...{ signature: market.signature, creator: market.creator, sector: market.sector },
    ...{ dex: market.dex, protocol: market.protocol, event: event.kind },
    ...{ q: market.searchText, query: market.searchText, timestamp: buyMs },
    ...{ start_slot: Math.min(slot, saleSlot), end_slot: Math.max(slot, saleSlot) },
    ...{ limit: 10, offset: 1, countback: 100, min_value_sol: 0.0001, min_sol: market.minSol },
    ...{ exclude_arbitrage: false, ...market.screened },
    ...{ [ASSUMED_FEES]: 10 },
    ...rangesOf(market),
    ...replayRange(buyMs),
    ...Object.fromEntries(cursors),
  }
}

/** Bounds of a replay are texts. */
function replayRange(buyMs: number): Values {
  const isoOf = (ms: number): string => new Date(ms).toISOString()
  return {
    '/admin/v1/replays from': isoOf(buyMs - HOUR_MS),
    '/admin/v1/replays to': isoOf(buyMs),
  }
}

function rangesOf({ buyMs, event, firstDay, dayBefore, lastDay }: ExampleMarket): Values {
  const ranges: [path: string, from: unknown, to: unknown][] = [
    ['', buyMs - HOUR_MS, buyMs + MINUTE_MS],
    ['/pool-events ', event.timestamp - HOUR_MS, event.timestamp + MINUTE_MS],
    [
      '/udf/history ',
      Math.floor((buyMs - DAY_MS) / MS_A_SECOND),
      Math.ceil((buyMs + MINUTE_MS) / MS_A_SECOND),
    ],
    ...DATED.map((path): [string, string, string] => [`${path} `, firstDay, lastDay]),
    [`${CALENDAR} `, dayBefore, lastDay],
  ]
  const ofEvent = { token_address: event.mint, pair_address: event.pair, dex: event.dex }
  return {
    ...Object.fromEntries(
      ranges.flatMap(([path, from, to]) => [
        [`${path}from`, from],
        [`${path}to`, to],
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(ofEvent).map(([name, value]) => [`/pool-events ${name}`, value]),
    ),
  }
}
