/**
 * The mapping of a table's columns to the fields of the ingest contract, as a JSON file states it. Pure.
 *
 *   {"kind": "swap", "empty": ["NULL"], "fields": {"signature": "tx_id", "quote_decimals": {"value": 6},
 *    "sol_amount": {"column": "amount", "decimals": 9}}}
 *
 * Without `fields` each field is read from the column of its own name. Constants are checked by the rule of their field
 * when the mapping is read, columns when it meets a file (row-reader.ts). Throws MappingError with the place in the file.
 */
import { TOKEN_DECIMALS_MAX } from '../../../domain/amount.ts'
import type { Event } from '../../../domain/events/event.ts'
import { isObject, type JsonObject, parseExact } from '../../../domain/text/exact-json.ts'
import { findRepeatedKey } from '../../../domain/text/json-keys.ts'
import { insteadOf } from '../../../domain/text/nearest-name.ts'
import { CONTRACT, type Field } from '../contract.ts'
import { printed } from '../refusal.ts'
import { INT64, POSITIVE_INT64, TIMESTAMP } from '../rule.ts'
import { convert, UNITS, type Unit } from './convert.ts'

export type ColumnSource = {
  readonly column: string
  readonly unit?: Unit
  /** Decimals of the token that the column counts in whole units, or the column that has them. */
  readonly decimals?: number | string
  /** Texts of cells, each with the value that it means. */
  readonly values?: ReadonlyMap<string, unknown>
}
/** The value of a field, or the column that has it. */
export type PlainSource = { readonly value: unknown } | ColumnSource
type Case = { readonly column: string; readonly is: string; readonly use: PlainSource }
/** The first case whose column has the text `is` gives the value. */
export type FieldSource = PlainSource | { readonly cases: readonly Case[] }

type Kind = Event['kind']
export type Mapping = {
  /** Absent: the column `kind`. */
  readonly kind?: FieldSource
  readonly fields?: ReadonlyMap<string, FieldSource>
  /** Texts of cells that are absent values, in addition to the empty text. */
  readonly empty: ReadonlySet<string>
}

export class MappingError extends Error {
  override name = 'MappingError'
}

export const BY_NAME: Mapping = { empty: new Set() }
export const KINDS = Object.keys(CONTRACT) as readonly Kind[]

/** Every field once: a name has the same kind of value in each kind of event. */
export const FIELDS: ReadonlyMap<string, Field> = new Map(
  Object.values(CONTRACT).flatMap((fields) => fields.map((field) => [field.name, field] as const)),
)
const FIELD_NAMES = [...FIELDS.keys()]

export function readMapping(text: string): Mapping {
  const json = parseMapping(text)
  expectKeys(json, ['kind', 'fields', 'empty'], 'the mapping')
  const { kind, fields, empty = [] } = json
  if (!Array.isArray(empty) || !empty.every((each) => typeof each === 'string')) {
    throw wrong('empty', empty, 'expected a list of texts, such as ["NULL"]')
  }
  return {
    empty: new Set(empty),
    ...(kind === undefined ? {} : { kind: readKind(kind) }),
    ...(fields === undefined ? {} : { fields: readFields(fields) }),
  }
}

function parseMapping(text: string): JsonObject {
  let json: unknown
  try {
    json = parseExact(text.replace(/^\ufeff/, ''))
  } catch (cause) {
    throw new MappingError(`expected a JSON object: ${(cause as Error).message}`, { cause })
  }
  if (!isObject(json)) throw new MappingError(`expected a JSON object, found ${printed(json)}`)
  const repeated = findRepeatedKey(text)
  if (repeated !== undefined) {
    throw new MappingError(`key "${repeated.key}": expected the key once in its object`)
  }
  return json
}

/** A kind is written by its name; a source of kinds is an object. */
function readKind(given: unknown): FieldSource {
  if (typeof given !== 'string') return readSource(given, 'kind', undefined)
  if (isKind(given)) return { value: given }
  throw wrong('kind', given, `expected one of ${KINDS.join(' ')}, or {"column": ...}`)
}

export function isKind(value: unknown): value is Kind {
  return KINDS.some((kind) => kind === value)
}

function readFields(given: unknown): ReadonlyMap<string, FieldSource> {
  if (!isObject(given)) throw wrong('fields', given, 'expected an object')
  return new Map(
    Object.entries(given).map(([name, source]) => {
      const field = FIELDS.get(name)
      if (field !== undefined) return [name, readSource(source, `fields.${name}`, field)]
      const text = `no field has this name: ${insteadOf(name, FIELD_NAMES)}`
      throw new MappingError(`fields ${printed(name)}: ${text}`)
    }),
  )
}

function readSource(given: unknown, at: string, field: Field | undefined): FieldSource {
  if (!isObject(given) || !('cases' in given)) return readPlain(given, at, field)
  expectKeys(given, ['cases'], at)
  const { cases } = given
  if (!Array.isArray(cases) || cases.length === 0) {
    throw wrong(`${at}.cases`, cases, 'expected a list of {"column": ..., "is": ..., "use": ...}')
  }
  return { cases: cases.map((each, index) => readCase(each, `${at}.cases[${index}]`, field)) }
}

function readCase(given: unknown, at: string, field: Field | undefined): Case {
  if (!isObject(given)) throw wrong(at, given, 'expected {"column": ..., "is": ..., "use": ...}')
  expectKeys(given, ['column', 'is', 'use'], at)
  const { column, is, use } = given
  if (typeof is !== 'string') throw wrong(`${at}.is`, is, 'expected the text of a cell')
  return { column: columnOf(column, `${at}.column`), is, use: readPlain(use, `${at}.use`, field) }
}

function readPlain(given: unknown, at: string, field: Field | undefined): PlainSource {
  if (typeof given === 'string') return { column: columnOf(given, at) }
  if (!isObject(given)) {
    throw wrong(at, given, 'expected the name of a column, {"value": ...} or {"column": ...}')
  }
  if ('value' in given) {
    expectKeys(given, ['value'], at)
    return { value: constantOf(given.value, `${at}.value`, field) }
  }
  expectKeys(given, ['column', 'unit', 'decimals', 'values'], at)
  const { column, unit, decimals, values } = given
  return {
    column: columnOf(column, `${at}.column`),
    ...(unit === undefined ? {} : { unit: readUnit(unit, `${at}.unit`, field) }),
    ...(decimals === undefined
      ? {}
      : { decimals: readDecimals(decimals, `${at}.decimals`, field) }),
    ...(values === undefined ? {} : { values: readValues(values, `${at}.values`, field) }),
  }
}

function columnOf(given: unknown, at: string): string {
  if (typeof given === 'string' && given !== '') return given
  throw wrong(at, given, 'expected the name of a column')
}

function readUnit(given: unknown, at: string, field: Field | undefined): Unit {
  if (field?.rule !== TIMESTAMP) throw new MappingError(`${at}: only a timestamp has a unit`)
  const unit = UNITS.find((each) => each === given)
  if (unit === undefined) throw wrong(at, given, `expected one of ${UNITS.join(' ')}`)
  return unit
}

function readDecimals(given: unknown, at: string, field: Field | undefined): number | string {
  if (field === undefined || !(field.rule === INT64 || field.rule === POSITIVE_INT64)) {
    throw new MappingError(`${at}: only an amount has decimals`)
  }
  if (typeof given === 'string' && given !== '') return given
  if (typeof given === 'number' && Number.isInteger(given)) {
    if (given >= 0 && given <= TOKEN_DECIMALS_MAX) return given
  }
  const expected = `expected an integer of 0 to ${TOKEN_DECIMALS_MAX}, or the name of a column`
  throw wrong(at, given, expected)
}

function readValues(
  given: unknown,
  at: string,
  field: Field | undefined,
): ReadonlyMap<string, unknown> {
  if (!isObject(given)) throw wrong(at, given, 'expected an object of cells and their values')
  return new Map(
    Object.entries(given).map(([cell, value]) => [cell, constantOf(value, `${at}.${cell}`, field)]),
  )
}

/** A constant, converted as a cell would be and checked by its field's rule; without a field it is a kind. */
function constantOf(given: unknown, at: string, field: Field | undefined): unknown {
  if (field === undefined) {
    if (isKind(given)) return given
    throw wrong(at, given, `expected one of ${KINDS.join(' ')}`)
  }
  const value = typeof given === 'string' ? convert(given, field.rule) : given
  if (field.rule.holds(value)) return value
  throw wrong(at, given, `expected ${field.rule.expected}`)
}

function expectKeys(json: JsonObject, known: readonly string[], at: string): void {
  const unknown = Object.keys(json).find((key) => !known.includes(key))
  if (unknown === undefined) return
  throw new MappingError(`${at}: unknown key ${printed(unknown)}: ${insteadOf(unknown, known)}`)
}

function wrong(at: string, value: unknown, expected: string): MappingError {
  return new MappingError(`${at} ${printed(value) ?? 'absent'}: ${expected}`)
}
