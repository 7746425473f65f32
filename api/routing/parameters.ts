/**
 * Parses path and query parameters into the handler's types, by the route's schema.
 *
 * Nothing is clamped or guessed: a parameter of the wrong type or out of bounds is a 400 with its name, its value and
 * what was expected; so is an unknown one, unless the route only warns of them. Integers and SOL amounts are
 * parsed from their digits, never through a double. The one exception is `pnl_mode`: an unknown mode means adjusted.
 * A repeated parameter that is not a list is rejected. Text around a pasted address or signature is trimmed.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TObject } from 'typebox'
import { INT64_MAX, INT64_MIN, int64, readLamports } from '../../domain/amount.ts'
import { isAddress, isSignature } from '../../domain/numbers/base58.ts'
import { OWN_SCHEMA } from '../../domain/own-schema.ts'
import { trimGiven } from '../../domain/text/padding.ts'
import { cut } from '../../domain/text/truncate.ts'
import { type Edge, readTime } from '../../domain/time/time.ts'
import { isUtcDate } from '../../domain/time/utc-day.ts'
import { dexOfText, VENUE_CHOICES } from '../../domain/venue.ts'
import { pnlModeOf } from '../../domain/wallet/pnl-mode.ts'
import { ApiError } from './error.ts'
import { maskKeys } from './key-format.ts'
import { notOfThisList } from './reading/cursor.ts'
import { meantBy, OF_EVERY_REQUEST, unknownAmong, unknownText } from './unknown-names.ts'
import { VENUE } from './venue-naming.ts'

export type ParameterSchema = {
  type?: string
  format?: string
  enum?: readonly string[]
  minimum?: number
  maximum?: number
  default?: unknown
  description?: string
  items?: ParameterSchema
  /** Another name of the parameter. */
  also?: string
  minLength?: number
  maxLength?: number
} & Partial<Record<'minItems' | 'maxItems', number>>
/** `nameOf`: name of a parameter in refusals, where that is not its own. */
export type Parse = (
  given: Record<string, unknown>,
  nameOf?: (parameter: string) => string,
) => Record<string, unknown>

/** Format of a parameter that is never given: the names that were and are no parameters. */
export const UNKNOWN_NAMES = 'unknown-names'
/** Formats of Unix ms that are also read from ISO 8601, by the end of a range that they are. */
export const TIME_EDGES: ReadonlyMap<string | undefined, Edge> = new Map([
  ['first-ms', 'first'],
  ['last-ms', 'last'],
])
/** Maximum number of unknown parameters that are reported. */
const UNKNOWN_NAMES_MAX = 20

const ajv = new Ajv({
  ...OWN_SCHEMA,
  formats: {
    address: { type: 'string', validate: isAddress },
    signature: { type: 'string', validate: isSignature },
    date: { type: 'string', validate: isUtcDate },
    // The database has no text with a NUL.
    'plain-text': { type: 'string', validate: (text: string) => !/\p{Cc}/u.test(text) },
    // Checked where the text is read: here the value is only near.
    int64: true,
    sol: true,
    'first-ms': true,
    'last-ms': true,
    [VENUE]: true,
    // Checked by the list that it is of.
    cursor: true,
    // Read into a mode whatever it is.
    'pnl-mode': true,
    [UNKNOWN_NAMES]: true,
  },
})

ajv.addKeyword('also')

/** The parser of a route's parameters; `inPath` are those that no query may give. */
export function parserOf(schema: TObject, inPath: readonly string[] = []): Parse {
  const properties = schema.properties as Record<string, ParameterSchema>
  const refuseUnknown = unknownRefuser(schema, inPath)
  const required = new Set<string>(schema.required)
  // Compiled by the first request: compiling those of all routes took a quarter of the start of the API.
  let holds: ValidateFunction | undefined
  const also = otherNames(schema)
  return (request, nameOf = itself) => {
    refuseUnknown(request)
    const given = byOwnNames(request, also, properties)
    const exact: Record<string, unknown> = {}
    const near: Record<string, unknown> = {}
    for (const [name, property] of Object.entries(properties)) {
      if (property.format === 'pnl-mode') {
        exact[name] = pnlModeOf(textOf(nameOf(name), given[name]))
        near[name] = exact[name]
        continue
      }
      if (property.format === UNKNOWN_NAMES) {
        exact[name] = unknownNames(given, schema)
        near[name] = ''
        continue
      }
      if (property.type === 'array') {
        const texts = textsOf(given[name], property)
        if (texts === undefined && required.has(name)) throw missing(nameOf(name))
        if (texts !== undefined) exact[name] = near[name] = texts
        continue
      }
      const text = textOf(nameOf(name), given[name]) ?? defaultText(property)
      if (text === undefined) {
        if (required.has(name)) throw missing(nameOf(name))
        continue
      }
      const value = read(property, text)
      if (value === undefined) throw refused(nameOf(name), text, property)
      exact[name] = value
      near[name] = nearValue(property, text, value)
    }
    holds ??= ajv.compile(schema)
    if (!holds(near)) throw firstRefusal(holds.errors ?? [], given, properties, nameOf)
    refuseTurnedRange(exact)
    return exact
  }
}

/** Own name of each parameter that has another. */
function otherNames({ properties }: TObject): ReadonlyMap<string, string> {
  const entries = Object.entries(properties as Record<string, ParameterSchema>)
  return new Map(entries.flatMap(([name, { also }]) => (also === undefined ? [] : [[also, name]])))
}

/** The parameters by their own names. Throws where one is given by both of its names. */
function byOwnNames(
  request: Record<string, unknown>,
  also: ReadonlyMap<string, string>,
  properties: Record<string, ParameterSchema>,
): Record<string, unknown> {
  const given = { ...request }
  for (const [other, name] of also) {
    if (given[other] === undefined) continue
    if (properties[name]?.type !== 'array') textOf(other, given[other])
    if (given[name] !== undefined && String(given[name]) !== String(given[other])) {
      throw new ApiError(
        'INVALID_PARAM',
        `${name} and ${other} are one parameter: give one of them`,
      )
    }
    given[name] = given[other]
    delete given[other]
  }
  return given
}

const itself = (parameter: string): string => parameter

/** Value of a parameter that may be given at most once. */
export function textOf(name: string, given: unknown): string | undefined {
  if (!Array.isArray(given)) return given as string | undefined
  throw new ApiError('INVALID_PARAM', `${name} is given ${given.length} times: give it once`)
}

function missing(name: string): ApiError {
  return new ApiError('MISSING_PARAM', `${name} is required`)
}

/** A list: separated by commas, given several times, or both; each value once. */
function textsOf(given: unknown, { items }: ParameterSchema): string[] | undefined {
  if (given === undefined) return undefined
  const texts = ([given].flat() as string[]).flatMap((text) => text.split(','))
  return [...new Set(texts.map((text) => trimGiven(items?.format, text)))]
}

/** Names that a query may give. */
export function namesOf({ properties }: Pick<TObject, 'properties'>): string[] {
  const schemas = properties as Record<string, ParameterSchema>
  return Object.keys(schemas).filter((name) => schemas[name]?.format !== UNKNOWN_NAMES)
}

function unknownNames(given: Record<string, unknown>, schema: TObject): string[] {
  const unknown = unknownAmong(Object.keys(given), [...namesOf(schema), ...OF_EVERY_REQUEST])
  return unknown.slice(0, UNKNOWN_NAMES_MAX).map(shown)
}

/** Refuses the first name that is no parameter; does nothing for a route that warns of them. */
function unknownRefuser(
  schema: TObject,
  inPath: readonly string[],
): (given: Record<string, unknown>) => void {
  const also = new Map(Array.from(otherNames(schema), ([other, name]) => [name, other]))
  const known = namesOf(schema).flatMap((name) => [name, also.get(name) ?? []].flat())
  if (namesOf(schema).length < Object.keys(schema.properties).length) return () => {}
  const inQuery = known.filter((name) => !inPath.includes(name))
  const letThrough = [...known, ...OF_EVERY_REQUEST]
  return (given) => {
    const [name] = unknownAmong(Object.keys(given), letThrough)
    if (name === undefined) return
    throw new ApiError('INVALID_PARAM', unknownText('parameter', name, inQuery))
  }
}

function defaultText({ default: usual }: ParameterSchema): string | undefined {
  return usual === undefined ? undefined : String(usual)
}

/** Value for ajv, which compares doubles: near enough for bounds, because int64 itself is checked exactly. */
function nearValue({ format }: ParameterSchema, text: string, value: unknown): unknown {
  if (format === 'sol') return Number(text)
  if (format === VENUE) return text
  return typeof value === 'bigint' ? Number(value) : value
}

function read({ type, format }: ParameterSchema, text: string): unknown {
  const edge = TIME_EDGES.get(format)
  if (edge !== undefined) return timeOf(text, edge).ms
  if (format === 'sol') return readLamports(text)
  if (format === VENUE) return dexOfText(text)
  if (type === 'integer') return readInteger(text)
  if (type === 'number') return readDecimal(text)
  if (type === 'boolean') return BOOLEANS.get(text)
  return trimGiven(format, text)
}

function timeOf(text: string, edge: Edge): { ms?: number; error?: string } {
  return readTime(text, edge)
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

function readInteger(text: string): number | bigint | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined
  const exact = BigInt(text)
  return exact > INT64_MAX || exact < INT64_MIN ? undefined : int64(exact)
}

/** A number as JSON writes it, as the nearest double; small ones are printed with an exponent. */
function readDecimal(text: string): number | undefined {
  return /^-?\d{1,16}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/.test(text) ? Number(text) : undefined
}

function firstRefusal(
  errors: readonly ErrorObject[],
  given: Record<string, unknown>,
  properties: Record<string, ParameterSchema>,
  nameOf: (parameter: string) => string,
): ApiError {
  const [parameter = '', index] = errors[0]?.instancePath.slice(1).split('/') ?? []
  const property = properties[parameter] ?? {}
  const name = nameOf(parameter)
  if (property.type !== 'array') return refused(name, String(given[parameter]), property)
  const texts = textsOf(given[parameter], property) ?? []
  if (index !== undefined) return refused(name, texts[Number(index)] ?? '', property.items ?? {})
  const bounds = `${property.minItems ?? 0} to ${property.maxItems}`
  return new ApiError('INVALID_PARAM', `${name}: expected ${bounds} values, not ${texts.length}`)
}

function refused(name: string, text: string, schema: ParameterSchema): ApiError {
  if (schema.format === 'cursor') return notOfThisList()
  const edge = TIME_EDGES.get(schema.format)
  const reason = (edge && timeOf(text, edge).error) ?? expectationOf(schema)
  return new ApiError('INVALID_PARAM', `${name} "${shown(text)}": ${reason}`)
}

/** A value of the client's as an answer may repeat it: short, without half a character, and never a key. */
export function shown(text: string): string {
  return cut(maskKeys(text))
}

export function expectationOf(schema: ParameterSchema): string {
  const { type, format, minimum, maximum } = schema
  if (format === VENUE) return `use ${VENUE_CHOICES}`
  if (schema.enum !== undefined) return `use one of ${schema.enum.join(' ')}`
  if (format === 'address') return 'expected an address, base58 of 32 bytes'
  if (format === 'signature') return 'expected a transaction signature, base58 of 64 bytes'
  if (format === 'date') return 'expected a date of the calendar, YYYY-MM-DD'
  if (format === 'plain-text') {
    return `expected ${schema.minLength ?? 0} to ${schema.maxLength} characters, none of control`
  }
  if (format === 'sol') return `expected SOL as a decimal of ${minimum} to ${maximum}`
  if (format === 'int64') {
    return `expected an integer of ${minimum ?? INT64_MIN} to ${maximum ?? INT64_MAX}`
  }
  if (type === 'integer') return `expected an integer of ${minimum} to ${maximum}`
  if (type === 'number') return `expected a decimal of ${minimum} to ${maximum}`
  if (type === 'boolean') return 'use one of true false 1 0'
  return 'expected a shorter text'
}

/** Names of the ends of ranges. */
const RANGES = [
  ['from', 'to'],
  ['start_slot', 'end_slot'],
] as const

function refuseTurnedRange(given: Record<string, unknown>): void {
  for (const [first, last] of RANGES) {
    const [from, to] = [given[first], given[last]]
    if (from === undefined || to === undefined || (from as number) <= (to as number)) continue
    throw new ApiError(
      'INVALID_PARAM',
      `${first} "${from}": expected no later than ${last} "${to}"`,
    )
  }
}

/** Warnings about unknown parameters, for routes that do not refuse them. */
export function warningsOf(unsupported: readonly string[], parameters: TObject): string[] {
  const known = namesOf(parameters)
  return unsupported.map((name) => {
    const meant = meantBy(name, known)
    const hint = meant === null ? '' : `; did you mean "${meant}"?`
    return `unsupported parameter "${name}": it was ignored${hint}`
  })
}
