/** Parameters and answers of TradingView's UDF protocol: its own names, and Unix seconds. */
import Type from 'typebox'
import { accountAddress, limit } from '../../routing/schema.ts'
import { ACCEPTED_RESOLUTIONS, BAR_RESOLUTIONS } from './chart-format.ts'

export const BARS_MAX = 5_000
const SEARCH_MAX = 100
const SEARCH_DEFAULT = 30
const SECONDS_MAX = 8_640_000_000_000
const QUERY_LENGTH_MAX = 100

const symbol = accountAddress({ description: 'Mint (bars of its top pool), or pool account' })
const seconds = (description: string) =>
  Type.Integer({ minimum: 0, maximum: SECONDS_MAX, description: `${description}, Unix seconds` })
const resolutions = Type.Array(Type.Enum([...BAR_RESOLUTIONS]), {
  description: 'Widths of bars: minutes, or days with D',
})

const filter = (description: string) =>
  Type.String({ format: 'plain-text', maxLength: QUERY_LENGTH_MAX, description })

export const ofNothing = Type.Object({})
export const ofSymbol = Type.Object({ symbol })
export const ofSearch = Type.Object({
  query: Type.String({
    format: 'plain-text',
    maxLength: QUERY_LENGTH_MAX,
    description: 'Beginning of a mint, pool, symbol or name, as in /search',
  }),
  type: Type.Optional(filter('One of symbols_types, or empty: all')),
  exchange: Type.Optional(filter('One of exchanges, or empty: all')),
  limit: limit(SEARCH_MAX, SEARCH_DEFAULT),
})
export const ofHistory = Type.Object({
  symbol,
  resolution: Type.Enum([...ACCEPTED_RESOLUTIONS], { description: 'Width of a bar' }),
  from: seconds('First second'),
  to: seconds('First second after the bars'),
  countback: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: BARS_MAX,
      description: 'So many bars before to, whatever from is',
    }),
  ),
})

const named = {
  value: Type.String({ description: 'As in parameters; empty: all' }),
  name: Type.String({ description: 'For people' }),
}
const exchange = Type.Object(
  {
    ...named,
    desc: Type.String({ description: 'For people' }),
  },
  { title: 'UdfExchange' },
)

export const config = Type.Object(
  {
    supported_resolutions: resolutions,
    supports_search: Type.Boolean(),
    supports_group_request: Type.Boolean(),
    supports_marks: Type.Boolean(),
    supports_timescale_marks: Type.Boolean(),
    supports_time: Type.Boolean(),
    exchanges: Type.Array(exchange),
    symbols_types: Type.Array(Type.Object(named, { title: 'UdfSymbolType' })),
  },
  { $id: 'UdfConfig' },
)

export const symbolFound = Type.Object(
  {
    name: Type.String({ description: 'Symbol of the token, else its mint, against SOL' }),
    ticker: Type.String({ description: 'Mint or pool account: symbol of the other routes' }),
    description: Type.String({ description: 'Name of the token, else its mint' }),
    type: Type.Literal('crypto'),
    session: Type.Literal('24x7'),
    timezone: Type.Literal('Etc/UTC'),
    exchange: Type.String(),
    listed_exchange: Type.String(),
    format: Type.Literal('price'),
    minmov: Type.Integer({ description: 'Always 1' }),
    pricescale: Type.Integer({ description: 'Prices are shown in steps of minmov / pricescale' }),
    has_intraday: Type.Boolean(),
    has_daily: Type.Boolean(),
    supported_resolutions: resolutions,
    intraday_multipliers: Type.Array(Type.String(), { description: 'Minutes of stored bars' }),
    volume_precision: Type.Integer({ description: 'Decimals of a volume, in SOL' }),
    data_status: Type.Literal('streaming'),
    currency_code: Type.Literal('SOL'),
  },
  { $id: 'UdfSymbol' },
)

export const searched = Type.Array(
  Type.Object(
    {
      symbol: Type.String({ description: 'For people' }),
      full_name: Type.String({ description: 'For people' }),
      description: Type.String({ description: 'For people' }),
      exchange: Type.String(),
      ticker: Type.String({ description: 'Mint or pool account' }),
      type: Type.Literal('crypto'),
    },
    { $id: 'UdfSearchResult' },
  ),
)

const column = (description: string) => Type.Array(Type.Number(), { description })

export const history = Type.Object(
  {
    s: Type.Enum(['ok', 'no_data'], { description: 'no_data: there are no bars in the range' }),
    t: column('First Unix second of each bar, ascending'),
    o: column('Open, SOL per whole token'),
    h: column('High'),
    l: column('Low'),
    c: column('Close'),
    v: column('Volume of all trades, SOL'),
    nextTime: Type.Optional(
      Type.Integer({ description: 'With no_data: the newest bar before from, Unix seconds' }),
    ),
  },
  { $id: 'UdfHistory' },
)

export const time = Type.Integer({
  description: 'The time of the service, Unix seconds',
})
