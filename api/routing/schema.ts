/**
 * Schemas that more than one resource uses: parameters, and the kinds of fields in answers.
 *
 * The static type of a parameter is what a handler gets: parameters.ts turns the text of the query
 * into it (an int64 exactly, `min_sol` into lamports).
 */
import Type, { type TSchema } from 'typebox'
import type { Int64 } from '../../domain/amount.ts'
import { NAME_FLAGS } from '../../domain/text/name-flags.ts'
import { TIME_MAX_MS } from '../../domain/time/time.ts'
import { WALLET_WINDOWS } from '../../domain/time/wallet-window.ts'
import { DEX_MAX, DEX_MIN, type DexId, VENUE_RANGE, VENUE_TEXTS } from '../../domain/venue.ts'
import { PNL_MODES, type PnlMode } from '../../domain/wallet/pnl-mode.ts'
import { CURSOR_LENGTH_MAX } from '../../streams/feed/feed-cursor.ts'
import { UNKNOWN_NAMES } from './parameters.ts'
import { PROGRAM_NAME, VENUE, VENUE_NAME } from './venue-naming.ts'

/** Format of an integer that may exceed int64. */
const UNBOUNDED = 'bigint'

/** `also`: another name that a request may give to the parameter. */
type Described = { description: string; also?: string }

export const accountAddress = (options: Described) =>
  Type.String({ format: 'address', minLength: 32, maxLength: 44, ...options })

export const signature = (options: Described) =>
  Type.String({ format: 'signature', minLength: 64, maxLength: 88, ...options })

/** An int64, exactly: a number while that is exact, else a bigint. */
export const int64 = (options: Described & { minimum?: number }) =>
  Type.Unsafe<Int64>(Type.Integer({ format: 'int64', ...options }))

/** An int64 of 0 or more. */
export const count = (options: Described) =>
  Type.Unsafe<Int64>(Type.Integer({ format: 'int64', minimum: 0, ...options }))

/** An integer of any size: a sum of int64 may exceed int64. A number while that is exact. */
export const unbounded = (options: { description: string; minimum?: number }) =>
  Type.Unsafe<Int64>(Type.Integer({ format: UNBOUNDED, ...options }))

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const dex = Type.Integer({
  minimum: DEX_MIN,
  maximum: DEX_MAX,
  description: 'Venue (DexId)',
})

/**
 * A venue as a parameter: its DexId, its name, or the name of its program. Handlers get the DexId, whichever was
 * given, so that answers are cached once for all three.
 */
export const venue = (description: string) =>
  Type.Unsafe<DexId>(
    Type.String({
      format: VENUE,
      enum: [...VENUE_TEXTS],
      description: `${description}: ${DEX_MIN} to ${DEX_MAX}, ${VENUE_RANGE}, or the name of its program`,
    }),
  )
export const dexFilter = venue('Swaps of this venue only')
export const protocol = venue('Venue')

/** Name of a venue in an answer; `venueNames` of an installation decides which (venue-naming.ts). */
export const venueName = (description: string) => Type.String({ format: VENUE_NAME, description })

export const isBuy = Type.Boolean({ description: 'true: SOL to token; false: token to SOL' })

/** Handlers get Unix ms: a date alone is its first millisecond as `from`, its last as `to`. */
const unixMs = (format: 'first-ms' | 'last-ms', description: string) =>
  Type.Integer({
    format,
    minimum: 0,
    maximum: TIME_MAX_MS,
    description: `${description}: Unix ms (not seconds), ISO 8601 with a zone, or a date (in UTC)`,
  })

export const fromMs = unixMs('first-ms', 'First millisecond, inclusive')
export const toMs = unixMs('last-ms', 'Last millisecond, inclusive')

/** Given in SOL as a decimal; handlers get lamports, rounded up: inclusive to the last digit. */
export const minSol = (options: { default?: number } = {}) =>
  Type.Unsafe<bigint>(
    Type.Number({
      format: 'sol',
      minimum: 0,
      maximum: 9_223_372_036,
      description: 'Least sol_amount, in SOL, inclusive',
      ...options,
    }),
  )

/** The wallet of a path: an unknown one is no error, it has nothing. */
export const wallet = accountAddress({ description: 'Wallet' })

/** The trailing windows of a wallet's statistics. */
export const walletWindow = Type.Enum([...WALLET_WINDOWS], {
  default: 'all',
  description: 'Trailing window; all: since the first indexed trade',
})

/** Handlers get one of the three modes, whatever was given. */
export const pnlMode = Type.Unsafe<PnlMode>(
  Type.String({
    format: 'pnl-mode',
    enum: [...PNL_MODES],
    default: 'adjusted',
    description:
      'strict: realized by FIFO; adjusted: by weighted average cost; raw: net cash flow. ' +
      'Anything else is treated as adjusted',
  }),
)

/** A date as text, YYYY-MM-DD; `from` later than `to` is refused as with times. */
export const utcDate = (options: Described) => Type.String({ format: 'date', ...options })

/** SOL in an answer: lamports divided once, as the nearest double. */
export const sol = (options: Described) => Type.Number(options)

/** US dollars in an answer, by the rate of now (sql/functions/sol_usd.sql); null while there is no rate. */
export const usd = (options: Described) => nullable(Type.Number(options))

export const offset = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  default: 0,
  description: 'Rows to pass over',
})

export const limit = (greatest: number, usual: number) =>
  Type.Integer({
    minimum: 1,
    maximum: greatest,
    default: usual,
    description: 'Rows in one answer',
  })

/** Names of the query that are no parameters: for a route that warns of them. */
export const unknownNames = Type.Unsafe<string[]>(Type.String({ format: UNKNOWN_NAMES }))

/** A list of mints, separated by commas. */
export const mints = (greatest: number, description: string, options: { also?: string } = {}) =>
  Type.Array(Type.String({ format: 'address' }), {
    ...options,
    minItems: 1,
    maxItems: greatest,
    description: `${description}, separated by commas, at most ${greatest}`,
  })

/** Descriptions of facts of a token, which several answers and GraphQL have. */
export const TOKEN_TEXTS = {
  name: 'From token events',
  decimals:
    'Decimals of the newest swap, which take precedence over a token line; those of the line before the first swap',
  creator: 'By the token line, else by the `created` event of the first pool',
  priceTime: 'Unix ms of the trade that set it',
} as const

/** Deceptive traits of a symbol or name. */
export const nameFlagList = Type.Array(Type.Enum([...NAME_FLAGS], { title: 'NameFlag' }), {
  description:
    'Deceptive traits of symbol or name: invisible (control, zero-width), bidi (turns the direction), ' +
    'mixed_script (one word of several scripts)',
})

/** Maximum length, the same as in a token line. */
const SECTOR_LENGTH_MAX = 200

export const sector = Type.String({
  format: 'plain-text',
  minLength: 1,
  maxLength: SECTOR_LENGTH_MAX,
  description: 'Tokens of this sector only, compared as search compares names',
})

export const cursorOf = (lengthMax: number) =>
  Type.String({
    format: 'cursor',
    maxLength: lengthMax,
    description:
      'next_cursor of the answer before, as it is: goes on where that ended, in the same list (path, ' +
      'wallet, mint, pool and order)',
  })
export const cursor = cursorOf(1024)

export const order = Type.Enum(['asc', 'desc'], {
  title: 'Order',
  default: 'desc',
  description: 'Canonical order, or reversed: newest first',
})

/** `{success: true, data, next_cursor}` of lists that are paged by cursor. */
export const pagedList = <T extends TSchema>(row: T) =>
  Type.Object({
    success: Type.Literal(true),
    data: Type.Array(row),
    next_cursor: nullable(
      Type.String({
        description:
          'null at the end of the list, and only there: a page may have fewer rows than limit, or none, ' +
          'where matching rows are rare',
      }),
    ),
  })

/** The same of events that the feeds bring: a client lists, then subscribes from `feed_cursor`. */
export const feedList = <T extends TSchema>(row: T) =>
  Type.Object({
    ...pagedList(row).properties,
    feed_cursor: nullable(
      Type.String({
        maxLength: CURSOR_LENGTH_MAX,
        description:
          'Place in the feed that this answer is complete up to: subscribe from it (WebSocket, gRPC), and ' +
          'each event was there or comes, none twice. Of a list that takes several pages, that of the ' +
          'first. null where there is no feed just now',
      }),
    ),
  })

/** The schema with every integer that a double may round as a string, for `int64=string`; named objects have other names. */
export function withTextIntegers(schema: TSchema): TSchema {
  const texted = JSON.parse(JSON.stringify(schema), (_, value) => {
    if (value?.format === 'int64' || value?.format === UNBOUNDED) {
      return { type: 'string', pattern: '^-?\\d+$', description: value.description }
    }
    const name = value?.title ?? value?.$id
    if (typeof value?.properties !== 'object' || typeof name !== 'string') return value
    return { ...value, title: `${name}WithText` }
  })
  return texted as TSchema
}

const OWN_FORMATS: readonly unknown[] = [VENUE_NAME, PROGRAM_NAME]

/**
 * `$id` is for validators: in a document it would move the base that references start from. Formats of names of venues
 * are for writers.
 */
export function withoutId(schema: TSchema): unknown {
  const isOwn = (name: string, value: unknown): boolean =>
    name === '$id' || (name === 'format' && OWN_FORMATS.includes(value))
  return JSON.parse(
    JSON.stringify(schema, (name, value) => (isOwn(name, value) ? undefined : value)),
  )
}
