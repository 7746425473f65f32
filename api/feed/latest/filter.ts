/**
 * Parses the filter of a channel of latest values into the names of the values. Pure.
 *
 * As in filters of events, a field that the channel does not have is ignored and reported; any other invalid input is
 * refused with the field, the value and what was expected. Equivalent filters yield the same names, however they are
 * written, so that their subscribers share values.
 */

import { Ajv, type ErrorObject } from 'ajv'
import type { TObject } from 'typebox'
import { isAddress } from '../../../domain/numbers/base58.ts'
import { OWN_SCHEMA } from '../../../domain/own-schema.ts'
import { trimGiven } from '../../../domain/text/padding.ts'
import { nounOf } from '../../../domain/text/plural.ts'
import { cut } from '../../../domain/text/truncate.ts'
import type { Timeframe } from '../../../domain/time/timeframe.ts'
import { type DexId, dexOfText, shownVenue, type VenueNaming } from '../../../domain/venue.ts'
import { expectationOf, type ParameterSchema } from '../../routing/parameters.ts'
import { VENUE } from '../../routing/venue-naming.ts'
import { FilterError, ignoredFields } from '../filter.ts'
import {
  CANDLES_MAX,
  type CandlesFilter,
  candlesFilter,
  type LatestChannel,
  type MoversFilter,
  moversFilter,
  type TokenStatsFilter,
  type TrendingFilter,
  tokenStatsFilter,
  trendingFilter,
} from './schema.ts'

/** Subject of one value. */
export type Subject =
  | { channel: 'candles'; timeframe: Timeframe; pool: string }
  | { channel: 'candles'; timeframe: Timeframe; token: string }
  | { channel: 'token_stats'; token: string }
  | { channel: 'rankings'; ranking: TrendingFilter | MoversFilter }

export type WantedValues = {
  /** By name, in the order of the filter. */
  subjects: ReadonlyMap<string, Subject>
  /** The filter as it takes effect. */
  shown: Record<string, unknown>
  /** Fields in the request that the channel does not have. */
  ignored: string[]
}

const ajv = new Ajv({ ...OWN_SCHEMA, strict: false, useDefaults: true, removeAdditional: false })
ajv.addFormat('address', { type: 'string', validate: isAddress })
ajv.addFormat(VENUE, true)
ajv.addFormat('plain-text', { type: 'string', validate: (text) => !/\p{Cc}/u.test(text) })

const BOARDS: Readonly<Record<string, TObject>> = {
  trending: trendingFilter,
  top_movers: moversFilter,
}

/** Throws FilterError. */
export function parseLatestFilter(
  given: unknown,
  channel: LatestChannel,
  naming: VenueNaming = 'ids',
): WantedValues {
  if (given === undefined) throw invalid(`filter is required: ${channel} needs an object`)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid(`filter ${shown(given)}: expected an object, ${channel} needs one`)
  }
  const fields = { ...given } as Record<string, unknown>
  const schema = schemaOf(channel, fields)
  const ignored = ignoredFields(fields, Object.keys(schema.properties))
  for (const name of ignored) delete fields[name]
  // Compiled for the first request of its channel; ajv caches by schema.
  const holds = ajv.compile(schema)
  // The validator writes defaults into its input, which would otherwise share lists with the client's object.
  const parsed = withPastedTrimmed(structuredClone(fields), schema)
  if (!holds(parsed)) throw errorOf(holds.errors?.[0], parsed, schema)
  for (const name of ['pools', 'tokens']) {
    const values = parsed[name]
    if (Array.isArray(values)) parsed[name] = [...new Set(values as string[])].sort()
  }
  const { protocol } = parsed
  if (protocol === undefined) {
    return { subjects: subjectsOf(channel, parsed), shown: inOrder(parsed, schema), ignored }
  }
  const dex = dexOfText(protocol as string) as DexId
  return {
    subjects: subjectsOf(channel, { ...parsed, protocol: dex }),
    shown: inOrder({ ...parsed, protocol: shownVenue(dex, naming) }, schema),
    ignored,
  }
}

/** The fields with pasted addresses and texts trimmed, and a venue's number as text. */
function withPastedTrimmed(
  fields: Record<string, unknown>,
  { properties }: TObject,
): Record<string, unknown> {
  const trimmed = (value: unknown, format: string | undefined): unknown =>
    typeof value === 'string'
      ? trimGiven(format, value)
      : format === VENUE && typeof value === 'number'
        ? String(value)
        : value
  const entries = Object.entries(fields).map(([name, value]) => {
    const { format, items } = (properties[name] ?? {}) as ParameterSchema
    const isList = Array.isArray(value)
    return [
      name,
      isList ? value.map((each) => trimmed(each, items?.format)) : trimmed(value, format),
    ]
  })
  return Object.fromEntries(entries)
}

function schemaOf(channel: LatestChannel, fields: Record<string, unknown>): TObject {
  if (channel === 'candles') return candlesFilter
  if (channel === 'token_stats') return tokenStatsFilter
  const board = Object.keys(BOARDS).find((name) => name === fields.board)
  if (board !== undefined) return BOARDS[board] as TObject
  const choices = `use one of ${Object.keys(BOARDS).join(' ')}`
  if (fields.board === undefined) throw invalid(`board is required: ${choices}`)
  throw invalid(`board ${shown(fields.board)}: ${choices}`)
}

function subjectsOf(channel: LatestChannel, parsed: unknown): Map<string, Subject> {
  if (channel === 'rankings') {
    const ranking = parsed as TrendingFilter | MoversFilter
    const schema = BOARDS[ranking.board] as TObject
    return new Map([[JSON.stringify(inOrder(ranking, schema)), { channel, ranking }]])
  }
  if (channel === 'token_stats') {
    const { tokens } = parsed as TokenStatsFilter
    return new Map(tokens.map((token) => [token, { channel, token }]))
  }
  const { pools, tokens, timeframe } = parsed as CandlesFilter
  const count = pools.length + tokens.length
  if (count === 0) throw invalid('pools or tokens is required: 1 to 100 addresses')
  if (count > CANDLES_MAX) {
    throw new FilterError('FILTER_TOO_LARGE', `${count} candles: at most ${CANDLES_MAX}`)
  }
  return new Map<string, Subject>([
    ...pools.map((pool) => [`${timeframe} of ${pool}`, { channel, timeframe, pool }] as const),
    ...tokens.map(
      (token) => [`${timeframe} of token ${token}`, { channel, timeframe, token }] as const,
    ),
  ])
}

/** Fields in the schema's order, empty lists left out: the same filter is always the same text. */
function inOrder(parsed: Record<string, unknown>, schema: TObject): Record<string, unknown> {
  const given = Object.keys(schema.properties).flatMap((name) => {
    const value = parsed[name]
    const isLeftOut = value === undefined || (Array.isArray(value) && value.length === 0)
    return isLeftOut ? [] : [[name, value] as const]
  })
  return Object.fromEntries(given)
}

function errorOf(
  error: ErrorObject | undefined,
  parsed: unknown,
  { properties }: TObject,
): FilterError {
  const path = (error?.instancePath ?? '').split('/').slice(1)
  if (error?.keyword === 'required') {
    return invalid(`${String(error.params.missingProperty)} is required`)
  }
  const value = path.reduce<unknown>((of, step) => (of as Record<string, unknown>)?.[step], parsed)
  const [name = 'filter'] = path
  if (error?.keyword === 'maxItems') {
    const most = String(error.params.limit)
    return new FilterError(
      'FILTER_TOO_LARGE',
      `${name}: at most ${most} ${nounOf(error.params.limit, 'value')}`,
    )
  }
  const schema = (properties[name] ?? {}) as ParameterSchema
  const of = path.length > 1 ? (schema.items ?? {}) : schema
  return invalid(`${name} ${shown(value)}: ${wordingOf(of)}`)
}

/** The wording of REST, except for types that JSON has and a query has not. */
function wordingOf(schema: ParameterSchema): string {
  if (schema.type === 'array') {
    return `expected a list of ${schema.minItems ?? 0} to ${schema.maxItems} ${nounOf(schema.maxItems ?? 0, 'value')}`
  }
  return schema.type === 'boolean' ? 'use one of true false' : expectationOf(schema)
}

function invalid(text: string): FilterError {
  return new FilterError('INVALID_FILTER', text)
}

function shown(given: unknown): string {
  return `"${cut(typeof given === 'string' ? given : JSON.stringify(given))}"`
}
