/**
 * Rejects unknown names in a request: parameters, JSON fields, variables. Pure.
 *
 * The error suggests the most similar known name. If unknown names were ignored, `?token=` would return the swaps of
 * all tokens.
 */
import { nearestName } from '../../domain/text/nearest-name.ts'
import { cut } from '../../domain/text/truncate.ts'
import { maskKeys } from './key-format.ts'

/** Let through in every query: the gateway reads the key, and "_" is what clients add to get past a cache. */
export const OF_EVERY_QUERY: readonly string[] = ['api_key', '_']

/** Let through in every request of REST and GraphQL: how integers are written (serving/integer-form.ts). */
export const OF_EVERY_REQUEST: readonly string[] = [...OF_EVERY_QUERY, 'int64']

/** Names that APIs of this kind give to one thing: where a client uses one, that of ours is suggested. */
const SYNONYMS: readonly (readonly string[])[] = [
  [
    ...['token_address', 'mint', 'token', 'tokens', 'mints', 'mints[]', 'token_addresses'],
    ...['token_mint', 'mint_address', 'base_mint', 'contract', 'contract_address', 'coin', 'ca'],
  ],
  [
    ...['pair_address', 'pools', 'pool', 'pair', 'pool_address', 'pool_id', 'pair_id', 'market'],
    ...['market_address', 'amm', 'lp'],
  ],
  [
    ...['user', 'wallet', 'wallets', 'trader', 'wallet_address', 'trader_address', 'user_address'],
    ...['owner', 'account', 'maker', 'signer'],
  ],
  [
    ...['from', 'start', 'since', 'after', 'begin', 'start_time', 'from_time', 'time_from'],
    ...['start_date', 'from_date', 'date_from', 'start_ts', 'from_ts', 'start_timestamp'],
  ],
  [
    ...['to', 'end', 'until', 'before', 'end_time', 'to_time', 'time_to', 'end_date', 'to_date'],
    ...['date_to', 'end_ts', 'to_ts', 'end_timestamp'],
  ],
  ['start_slot', 'from_slot', 'slot_from', 'min_slot', 'slot'],
  ['end_slot', 'to_slot', 'slot_to', 'max_slot'],
  [
    ...['cursor', 'offset', 'next_cursor', 'page_token', 'page', 'skip', 'after', 'before'],
    ...['start_after', 'next', 'feed_cursor'],
  ],
  [
    'limit',
    'count',
    'size',
    'per_page',
    'page_size',
    'take',
    'first',
    'top',
    'top_n',
    'max_results',
  ],
  [
    ...[
      'timeframe',
      'resolution',
      'window',
      'period',
      'interval',
      'granularity',
      'bucket',
      'range',
    ],
    ...['time_frame', 'candle', 'bar'],
  ],
  ['extra_windows', 'windows'],
  ['is_buy', 'swap_type', 'side', 'type', 'direction', 'buy'],
  ['min_sol', 'min_sol_amount', 'min_amount', 'min_size', 'min_volume_sol', 'threshold'],
  ['dex', 'protocol', 'venues', 'venue', 'program', 'exchange', 'platform', 'source', 'dex_id'],
  ['order', 'sort', 'sort_by', 'order_by', 'direction', 'sort_order'],
  ['q', 'query', 'search', 'text', 'term', 'keyword', 'name', 'symbol'],
  ['pnl_mode', 'mode', 'method', 'cost_basis'],
  ['filter', 'filters', 'where'],
  ['from', 'cursor', 'resume'],
]

/** The names that are not known, as they were given. */
export function unknownAmong(given: readonly string[], known: readonly string[]): string[] {
  return given.filter((name) => !known.includes(name))
}

/** `unknown parameter "token": did you mean "token_address"?` */
export function unknownText(kind: string, name: string, known: readonly string[]): string {
  const meant = meantBy(name, known)
  const shown = `unknown ${kind} "${maskKeys(cut(name))}"`
  if (meant !== null) return `${shown}: did you mean "${meant}"?`
  return known.length === 0 ? `${shown}: expected none` : `${shown}: use one of ${known.join(' ')}`
}

/** The known name that a client most likely means; null where none is near. */
export function meantBy(name: string, known: readonly string[]): string | null {
  const same = known.find((each) => letters(each) === letters(name))
  if (same !== undefined) return same
  const word = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '_').toLowerCase()
  const groups = SYNONYMS.filter((group) => group.includes(word))
  return groups.flat().find((each) => known.includes(each)) ?? nearestName(name, known)
}

const letters = (name: string): string => name.toLowerCase().replaceAll(/[^a-z\d]/g, '')
