/**
 * TradingView's UDF protocol over candles, for charts whose datafeed is an address: the paths, names and errors are the
 * protocol's (https://www.tradingview.com/charting-library-docs/latest/connecting_data/UDF).
 */

import type { Static } from 'typebox'
import { grouped } from '../../../domain/text/plural.ts'
import { DAY_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { type Route, route } from '../../routing/route.ts'
import { search } from '../search/read.ts'
import { BAR_RESOLUTIONS, timeframeOf } from './chart-format.ts'
import { EXCHANGE, isChartable, presentBars, presentFound, presentSymbol, TYPE } from './present.ts'
import { readBars, readPastBars, readSymbol } from './read.ts'
import * as schema from './schema.ts'

const family = 'udf'
const MS_A_SECOND = 1_000

const configured = route({
  path: '/udf/config',
  operationId: 'getUdfConfig',
  topic: { listedAt: 170, description: "TradingView's Universal Data Feed" },
  family,
  summary: 'Capabilities of the datafeed (TradingView UDF)',
  description:
    'The datafeed of a chart is the address of /udf; the key goes into a header, or is added by a proxy.',
  parameters: schema.ofNothing,
  answer: schema.config,
  errors: ['INTERNAL'],
  example: {},
  respond: async () => ({
    supported_resolutions: [...BAR_RESOLUTIONS],
    supports_search: true,
    supports_group_request: false,
    supports_marks: false,
    supports_timescale_marks: false,
    supports_time: true,
    exchanges: [
      { value: '', name: 'All', desc: '' },
      { value: EXCHANGE, name: EXCHANGE, desc: 'Venues of Solana' },
    ],
    symbols_types: [
      { value: '', name: 'All' },
      { value: TYPE, name: 'Tokens' },
    ],
  }),
})

const resolved = route({
  path: '/udf/symbols',
  operationId: 'getUdfSymbol',
  family,
  summary: 'A token or pool as a symbol of a chart (TradingView UDF)',
  description:
    'A mint charts its top pool, which may change; a pool account charts that pool. Prices are SOL per whole token; ' +
    'pricescale shows five digits of the present one.',
  parameters: schema.ofSymbol,
  answer: schema.symbolFound,
  errors: ['INVALID_PARAM', 'MISSING_PARAM', 'NOT_FOUND', 'GATEWAY_TIMEOUT', 'INTERNAL'],
  example: ({ mint }) => ({ symbol: mint }),
  read: async ({ symbol }, db) => presentSymbol(symbol, await readSymbol(db, symbol)),
})

const searched = route({
  path: '/udf/search',
  operationId: 'searchUdfSymbols',
  family,
  summary: 'Tokens and pools by prefix (TradingView UDF)',
  description: 'The tokens and pools that /search finds.',
  parameters: schema.ofSearch,
  answer: schema.searched,
  errors: ['INVALID_PARAM', 'MISSING_PARAM', 'GATEWAY_TIMEOUT', 'INTERNAL'],
  example: ({ searchText }) => ({ query: searchText, type: TYPE, exchange: EXCHANGE, limit: 10 }),
  read: async ({ query, limit, type, exchange }, db) => {
    if (!holds(TYPE, type) || !holds(EXCHANGE, exchange)) return []
    return (await search(db, query, limit)).filter(isChartable).map(presentFound)
  },
})

const barsWanted = ({
  symbol,
  resolution,
  from,
  to,
  countback,
}: Static<typeof schema.ofHistory>) => ({
  symbol,
  timeframe: timeframeOf(resolution),
  fromMs: from * MS_A_SECOND,
  toMs: to * MS_A_SECOND,
  ...(countback === undefined ? {} : { countback }),
})

const charted = route({
  path: '/udf/history',
  operationId: 'getUdfHistory',
  family,
  summary: 'Bars of a token or pool as columns, ascending (TradingView UDF)',
  description:
    'The candles of /api/v1/candles; buckets without a price have no bar. ' +
    `Where from and to hold more than ${grouped(schema.BARS_MAX)} bars, the newest.`,
  parameters: schema.ofHistory,
  answer: schema.history,
  errors: [
    ...(['INVALID_PARAM', 'MISSING_PARAM', 'NOT_FOUND', 'AS_OF_UNSUPPORTED'] as const),
    ...(['AS_OF_TOO_COSTLY', 'GATEWAY_TIMEOUT', 'INTERNAL'] as const),
  ],
  example: ({ mint, buyMs }) => ({
    symbol: mint,
    resolution: '5',
    from: Math.floor((buyMs - DAY_MS) / MS_A_SECOND),
    to: Math.ceil((buyMs + MINUTE_MS) / MS_A_SECOND),
    countback: 100,
  }),
  read: async (request, db) => presentBars(await readBars(db, barsWanted(request))),
  readAsOf: async (request, past) => presentBars(await readPastBars(past, barsWanted(request))),
})

const timed = (now: () => number) =>
  route({
    path: '/udf/time',
    operationId: 'getUdfTime',
    family,
    summary: 'The time of the service, Unix seconds (TradingView UDF)',
    parameters: schema.ofNothing,
    answer: schema.time,
    errors: ['INTERNAL'],
    example: {},
    respond: async () => Math.floor(now() / MS_A_SECOND),
  })

/** `now`: Unix ms of the wall clock. */
export const udfRoutes = ({ now }: { now: () => number }): readonly Route[] => [
  configured,
  resolved,
  searched,
  charted,
  timed(now),
]

/** An empty filter is none. */
const holds = (value: string, filter: string | undefined): boolean =>
  filter === undefined || filter === '' || filter === value
