/**
 * A statement as of a slot: names of tables stand for their rows as of it, and functions of now for values as of it. Pure.
 */
import { replaceCalls } from './calls.ts'
import { type ShadowedForm, shadowTable } from './shadowed.ts'

/**
 * Names that a statement reads, in the order in which they are replaced. The query of one may read the rows of a later one as of the
 * slot.
 */
export const PAST_SOURCES = [
  'trader_hour',
  'trader_minute',
  'candle_1m',
  'candle_15m',
  'candle_4h',
  'pool',
  'pool_event',
  'past_prices',
  'past_rate',
  'past_time',
] as const
export type PastSource = (typeof PAST_SOURCES)[number]

const COMMENTS = /--.*/g
/** Functions of now without arguments. */
const VALUES: readonly (readonly [call: string, value: string])[] = [
  ['newest_swap_ms()', '(select newest_ms from past_time)'],
  ['sol_usd()', '(select rate from past_rate)'],
]

/** Tables and functions of now that are not replaced. */
const OF_NOW = [
  'dollar_minute',
  'mint_decimals',
  'position',
  'slot_span',
  'token_start',
  'token_traders',
  'token_windows',
] as const

/**
 * `queries`: the texts that stand for the sources. Throws where a call of token_prices() does not end, and where the statement reads
 * what is of now.
 */
export function pastForm(
  statement: string,
  queries: Readonly<Record<PastSource, string>>,
): ShadowedForm<PastSource> {
  let text = replaceCalls(
    statement.replaceAll(COMMENTS, ''),
    'token_prices',
    (tokens) => `lateral (select * from past_prices where token_id = any (${tokens}))`,
  )
  for (const [call, value] of VALUES) text = text.replaceAll(call, value)
  const words = new Set(text.match(/\w+/g))
  const ofNow = OF_NOW.find((name) => words.has(name))
  if (ofNow !== undefined) throw new Error(`"${ofNow}" is of now: expected a statement without it`)
  const sources = PAST_SOURCES.filter((source) => words.has(source))
  for (const source of sources) text = shadowTable(text, source, queries[source])
  return { text, sources }
}
