/** Example values of parameters that are not part of their route's example, from the market of the examples. Pure. */
import { HOUR_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { ASSUMED_FEES } from '../../domain/venue.ts'
import type { ExampleMarket } from '../examples/market.ts'

const DAYS_PATH = '/v2/pnl/wallets/{wallet}/tokens'
const EVENTS_PATH = '/pool-events'
const REPLAYS_PATH = '/admin/v1/replays'

type Values = Readonly<Record<string, unknown>>

/** By name, or by path and name where that differs: each is read by a route whose own example lacks the parameter. */
export function parameterValues(market: ExampleMarket): Values {
  const { mint, otherMint, wallet, slot, saleSlot } = market
  const cursors = Object.entries(market.cursors).map(([path, cursor]) => [`${path} cursor`, cursor])
  return {
    ...{ user: wallet, mint, token_address: mint, pair_address: market.pair },
    ...{ 'mints[]': [mint, otherMint], token_addresses: [mint, otherMint] },
    ...{ creator: market.creator, sector: market.sector },
    ...{ dex: market.dex, protocol: market.protocol },
    ...{ start_slot: Math.min(slot, saleSlot), end_slot: Math.max(slot, saleSlot) },
    ...{ as_of_slot: Math.max(slot, saleSlot), as_of_time: market.buyMs },
    ...{ limit: 10, offset: 1, min_value_sol: 0.0001, min_sol: market.minSol },
    ...{ exclude_arbitrage: false, ...market.screened },
    ...{ [ASSUMED_FEES]: 10 },
    ...{ wallet, attacker: wallet, min_loss_lamports: 1 },
    ...rangesOf(market),
    ...ofEvent(market),
    ...Object.fromEntries(cursors),
  }
}

function rangesOf({ buyMs, event, firstDay, lastDay }: ExampleMarket): Values {
  const isoOf = (ms: number): string => new Date(ms).toISOString()
  const ranges: [path: string, from: unknown, to: unknown][] = [
    ['', buyMs - HOUR_MS, buyMs + MINUTE_MS],
    [`${EVENTS_PATH} `, event.timestamp - HOUR_MS, event.timestamp + MINUTE_MS],
    [`${DAYS_PATH} `, firstDay, lastDay],
    // Texts of a body.
    [`${REPLAYS_PATH} `, isoOf(buyMs - HOUR_MS), isoOf(buyMs)],
  ]
  return Object.fromEntries(
    ranges.flatMap(([path, from, to]) => [
      [`${path}from`, from],
      [`${path}to`, to],
    ]),
  )
}

function ofEvent({ event }: ExampleMarket): Values {
  const values = { token_address: event.mint, pair_address: event.pair, dex: event.dex }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${EVENTS_PATH} ${name}`, value]),
  )
}
