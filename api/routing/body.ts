/**
 * Parses a JSON body into the handler's types, by the route's schema: objects, lists, integers, booleans and texts.
 *
 * As with parameters nothing is guessed: an unknown field, a wrong type or a list out of bounds is a 400 with the name
 * of the field, its value and what was expected. An unknown `pnl_mode` means adjusted. Lists stay in their order, with
 * values that are given twice. A pasted address is trimmed.
 */
import type { TObject } from 'typebox'
import { isAddress } from '../../domain/numbers/base58.ts'
import { trimGiven } from '../../domain/text/padding.ts'
import { pnlModeOf } from '../../domain/wallet/pnl-mode.ts'
import { ApiError } from './error.ts'
import { expectationOf, type ParameterSchema, shown } from './parameters.ts'
import { unknownAmong, unknownText } from './unknown-names.ts'

/** Format of a filter of events, which is passed on as it was given: its reader is that of the feeds. */
export const EVENT_FILTER = 'event-filter'

type FieldSchema = ParameterSchema & {
  properties?: Record<string, FieldSchema>
  required?: readonly string[]
}

/** Throws ApiError. */
export type ParseBody = (given: unknown) => Record<string, unknown>

export function bodyParserOf(schema: TObject): ParseBody {
  return (given) => readObject('', given, schema as FieldSchema)
}

/** `{"wallets": [...]}`, for the error of an empty body. */
export function formOf({ properties, required }: TObject): string {
  const names = Object.keys(properties).filter((name) => required?.includes(name))
  return `{${names.map((name) => `"${name}": [...]`).join(', ')}}`
}

function readObject(
  path: string,
  given: unknown,
  { properties = {}, required = [] }: FieldSchema,
): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw refused(path === '' ? 'the body' : path, given, 'expected a JSON object')
  }
  const known = Object.keys(properties)
  const [unknown] = unknownAmong(Object.keys(given), known)
  const within = path === '' ? 'field of the body' : `field of ${path}`
  if (unknown !== undefined)
    throw new ApiError('INVALID_PARAM', unknownText(within, unknown, known))
  const fields = new Map(Object.entries(given))
  const read = Object.entries(properties).flatMap(([name, field]): [string, unknown][] => {
    const value = fields.get(name) ?? field.default
    const named = path === '' ? name : `${path}.${name}`
    if (value !== undefined) return [[name, readValue(named, value, field)]]
    if (required.includes(name)) throw new ApiError('MISSING_PARAM', `${named} is required`)
    return []
  })
  return Object.fromEntries(read)
}

function readValue(path: string, given: unknown, schema: FieldSchema): unknown {
  if (schema.format === EVENT_FILTER) return given
  if (schema.type === 'integer') return readInteger(path, given, schema)
  if (schema.properties !== undefined) return readObject(path, given, schema)
  if (schema.items !== undefined) return readList(path, given, schema)
  if (schema.type === 'boolean') {
    if (typeof given === 'boolean') return given
    throw refused(path, given, 'expected true or false')
  }
  if (schema.format === 'pnl-mode') return pnlModeOf(typeof given === 'string' ? given : undefined)
  const isChoice = schema.enum === undefined || schema.enum.includes(given as string)
  if (typeof given !== 'string' || !isChoice) throw refused(path, given, expectationOf(schema))
  const text = trimGiven(schema.format, given)
  if (schema.format === 'address' && !isAddress(text)) {
    throw refused(path, given, expectationOf(schema))
  }
  return text
}

function readInteger(path: string, given: unknown, schema: FieldSchema): number {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
  if (typeof given === 'number' && Number.isInteger(given) && given >= minimum && given <= maximum)
    return given
  throw refused(path, given, `expected an integer of ${minimum} to ${maximum}`)
}

function readList(path: string, given: unknown, schema: FieldSchema): unknown[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items: row = {} } = schema
  // One number is a list of one.
  if (row.type === 'integer' && typeof given === 'number') return readList(path, [given], schema)
  if (!Array.isArray(given)) throw refused(path, given, 'expected a list')
  if (given.length < minItems || given.length > maxItems) {
    const bounds = `expected ${minItems} to ${maxItems} values, not ${given.length}`
    throw new ApiError('INVALID_PARAM', `${path}: ${bounds}`)
  }
  return given.map((each, index) => readValue(`${path}[${index}]`, each, row))
}

function refused(path: string, given: unknown, expected: string): ApiError {
  const isPlain = given === null || typeof given !== 'object'
  const value = isPlain ? ` "${shown(String(given))}"` : ''
  return new ApiError('INVALID_PARAM', `${path}${value}: ${expected}`)
}
