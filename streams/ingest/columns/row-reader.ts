/**
 * Reads rows of a table as the fields of ingest events, by a mapping that was matched with the table's columns. Pure.
 *
 *   cells (texts; undefined: absent) -> fields -> eventOf() of the contract -> Event | Refusal[]
 *
 * Law: a mapping that these columns cannot satisfy is refused once, before the first row (MappingError); a row is
 * refused by its own cells only.
 */
import type { JsonObject } from '../../../domain/text/exact-json.ts'
import { nearestName } from '../../../domain/text/nearest-name.ts'
import { VENUE_CHOICES } from '../../../domain/venue.ts'
import { CONTRACT, eventOf, type Field, type ParsedLine } from '../contract.ts'
import { leftOut, printed, type Refusal } from '../refusal.ts'
import { DECIMALS, DEX, INT64, POSITIVE_INT64, PRICE, TIMESTAMP } from '../rule.ts'
import {
  type Converted,
  convert,
  convertCell,
  toBaseUnits,
  toMilliseconds,
  type Unit,
} from './convert.ts'
import {
  type ColumnSource,
  FIELDS,
  type FieldSource,
  isKind,
  KINDS,
  type Mapping,
  MappingError,
  type PlainSource,
} from './mapping.ts'

/**
 * `unit`: of a column of times that has a type. `isFloat`: of floating-point numbers, of 32 bits where it `isSingle`.
 * `isDecimal`: of exact decimals. `unusable`: why no cell of it is read.
 */
export type Column = {
  readonly name: string
  readonly unit?: 'ms' | 'us' | 'ns'
  readonly isFloat?: boolean
  readonly isSingle?: boolean
  readonly isDecimal?: boolean
  readonly unusable?: string
}
/** The cells of the used columns, in the order of `used`. */
export type Row = readonly (string | undefined)[]

export type RowReader = {
  /** Names of the columns that rows must have. */
  readonly used: readonly string[]
  /** `nowMs`: the wall clock, which the contract compares times with. */
  readonly read: (row: Row, nowMs: number) => ParsedLine
}

/** A field's value, absent where it is undefined, and the column it came from. */
type Found = { column: string | undefined; cell: string | undefined } & Converted
type Getter = (row: Row) => Found
type Conversion = (cell: string, row: Row) => Converted

const COLUMNS_SHOWN_MAX = 40

/** Throws MappingError. */
export function rowReader(mapping: Mapping, columns: readonly Column[]): RowReader {
  const table = new Table(columns, mapping.empty)
  const kind = table.getter(mapping.kind ?? kindColumn(table), 'kind', undefined)
  const fields = mapping.fields ?? byName(table)
  const getters = new Map<string, Getter>(
    Array.from(fields, ([name, source]) => [name, table.getter(source, name, FIELDS.get(name))]),
  )
  if (mapping.kind !== undefined && 'value' in mapping.kind && isKind(mapping.kind.value)) {
    expectRequired(CONTRACT[mapping.kind.value], fields, mapping.kind.value)
  }
  return {
    used: table.used,
    read(row, nowMs) {
      const found = kind(row)
      if (!('value' in found) || !isKind(found.value)) return { refusals: [refuseKind(found)] }
      return readFields(row, found.value, getters, nowMs)
    },
  }
}

function kindColumn(table: Table): FieldSource {
  if (table.has('kind')) return { column: 'kind' }
  const advice = `state it in a mapping, such as {"kind": "swap"}`
  throw new MappingError(`no column "kind": ${advice}; ${table.listed()}`)
}

function byName(table: Table): ReadonlyMap<string, FieldSource> {
  const names = [...FIELDS.keys()].filter((name) => table.has(name))
  return new Map(names.map((name) => [name, { column: name }]))
}

function expectRequired(
  fields: readonly Field[],
  given: ReadonlyMap<string, FieldSource>,
  kind: string,
): void {
  const missing = fields.filter(({ name, presence }) => presence === 'required' && !given.has(name))
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name).join(', ')
  throw new MappingError(`no column for ${names}, which every ${kind} must have`)
}

function refuseKind(found: Found): Refusal {
  const value = printed('value' in found ? (found.value ?? undefined) : found.cell)
  const reason = 'reason' in found ? found.reason : `expected one of ${KINDS.join(' ')}`
  return { field: 'kind', value, reason: `${reason}${ofColumn(found.column, 'kind')}` }
}

function readFields(
  row: Row,
  kind: keyof typeof CONTRACT,
  getters: ReadonlyMap<string, Getter>,
  nowMs: number,
): ParsedLine {
  const json: JsonObject = { kind }
  const columns = new Map<string, string | undefined>()
  const refusals: Refusal[] = []
  const warnings: Refusal[] = []
  for (const { name, presence } of CONTRACT[kind]) {
    const found = getters.get(name)?.(row)
    if (found === undefined) continue
    columns.set(name, found.column)
    if ('value' in found) {
      if (found.value !== undefined) json[name] = found.value
      continue
    }
    const refusal = { field: name, value: printed(found.cell), reason: found.reason }
    if (presence === 'lenient') warnings.push(leftOut(refusal))
    else refusals.push(refusal)
  }
  const parsed = eventOf(json, nowMs)
  const seen = new Set(refusals.map(({ field }) => field))
  const named = (each: Refusal): Refusal => ({
    ...each,
    reason: `${each.reason}${ofColumn(columns.get(each.field), each.field)}`,
  })
  if ('event' in parsed && refusals.length === 0) {
    warnings.push(...(parsed.warnings ?? []))
    if (warnings.length === 0) return parsed
    return { event: parsed.event, warnings: warnings.map(named) }
  }
  const others = 'refusals' in parsed ? parsed.refusals.filter(({ field }) => !seen.has(field)) : []
  return { refusals: [...refusals, ...others].map(named) }
}

function ofColumn(column: string | undefined, field: string): string {
  return column === undefined || column === field ? '' : ` (column ${printed(column)})`
}

/** The columns of a table, and which of them the mapping uses. */
class Table {
  readonly used: string[] = []
  readonly #columns: readonly Column[]
  readonly #empty: ReadonlySet<string>

  constructor(columns: readonly Column[], empty: ReadonlySet<string>) {
    this.#columns = columns
    this.#empty = empty
  }

  has(name: string): boolean {
    return this.#columns.some((column) => column.name === name)
  }

  listed(): string {
    const names = this.#columns.map(({ name }) => name)
    const shown = names.slice(0, COLUMNS_SHOWN_MAX).join(', ')
    const more = names.length - COLUMNS_SHOWN_MAX
    return `the file has ${shown}${more > 0 ? ` and ${more} more` : ''}`
  }

  getter(source: FieldSource, name: string, field: Field | undefined): Getter {
    if (!('cases' in source)) return this.#plain(source, name, field)
    const cases = source.cases.map(({ column, is, use }) => {
      const cellOf = this.#cell(column, name).cellOf
      return { column, is, cellOf, get: this.#plain(use, name, field) }
    })
    const expected = cases.map(({ column, is }) => `"${is}" in column "${column}"`).join(' or ')
    return (row) => {
      for (const { is, cellOf, get } of cases) if (cellOf(row) === is) return get(row)
      const cell = cases[0]?.cellOf(row)
      return { column: undefined, cell, reason: `no case applies: expected ${expected}` }
    }
  }

  #plain(source: PlainSource, name: string, field: Field | undefined): Getter {
    if ('value' in source) {
      const found = { column: undefined, cell: undefined, value: source.value }
      return () => found
    }
    const { cellOf, column } = this.#cell(source.column, name)
    if (column.isFloat && (field?.rule === INT64 || field?.rule === POSITIVE_INT64)) {
      const advice = 'export base units as integers, or a decimal or text with {"decimals": ...}'
      throw new MappingError(
        `column "${column.name}" of field ${name} has floating-point numbers, which are not exact: ${advice}`,
      )
    }
    const conversion = this.#conversion(source, column, name, field)
    const converted = column.isFloat === true ? exactOnly(conversion, column, field) : conversion
    return (row) => {
      const cell = cellOf(row)
      const value = cell === undefined ? { value: undefined } : converted(cell, row)
      return { column: source.column, cell, ...value }
    }
  }

  #conversion(
    { values, decimals, unit }: ColumnSource,
    column: Column,
    name: string,
    field: Field | undefined,
  ): Conversion {
    if (values !== undefined) return byValues(values)
    if (field === undefined) return (cell) => ({ value: cell })
    const { rule } = field
    if (rule === TIMESTAMP) {
      const from: Unit = column.unit ?? unit ?? 'ms'
      return (cell) => toMilliseconds(cell, from)
    }
    if (typeof decimals === 'number') return (cell) => toBaseUnits(cell, decimals)
    if (decimals !== undefined) {
      const { cellOf } = this.#cell(decimals, name)
      return (cell, row) => byDecimals(cell, cellOf(row), decimals)
    }
    if (rule !== DEX) return (cell) => convertCell(cell, rule, column)
    return (cell) => {
      const value = convert(cell, rule)
      return typeof value === 'string' ? { reason: `expected ${VENUE_CHOICES}` } : { value }
    }
  }

  #cell(name: string, field: string) {
    const found = this.#columns.filter((column) => column.name === name)
    const [column] = found
    if (column === undefined) {
      const nearest = nearestName(
        name,
        this.#columns.map((each) => each.name),
      )
      const hint = nearest === null ? this.listed() : `did you mean "${nearest}"? ${this.listed()}`
      throw new MappingError(`no column "${name}" for field ${field}: ${hint}`)
    }
    if (found.length > 1) {
      throw new MappingError(`column "${name}" of field ${field} occurs ${found.length} times`)
    }
    if (column.unusable !== undefined) {
      throw new MappingError(`column "${name}" of field ${field} ${column.unusable}`)
    }
    if (!this.used.includes(name)) this.used.push(name)
    const index = this.used.indexOf(name)
    const cellOf = (row: Row): string | undefined => {
      const text = row[index]
      return text === undefined || text === '' || this.#empty.has(text) ? undefined : text
    }
    return { column, cellOf }
  }
}

/** Floating-point numbers count whole numbers up to here without a gap. */
const DOUBLE_EXACT_MAX = Number.MAX_SAFE_INTEGER
const SINGLE_EXACT_MAX = 2 ** 24

/** A conversion of floating-point numbers that refuses those which may be another integer, rounded. */
function exactOnly(
  conversion: Conversion,
  { isSingle }: Column,
  field: Field | undefined,
): Conversion {
  if (field?.rule === PRICE) return conversion
  const [most, text] = isSingle ? [SINGLE_EXACT_MAX, '2^24'] : [DOUBLE_EXACT_MAX, '2^53-1']
  const reason = `expected at most ${text}: greater floating-point numbers of this column are not exact`
  return (cell, row) => (Math.abs(Number(cell)) > most ? { reason } : conversion(cell, row))
}

function byValues(values: ReadonlyMap<string, unknown>): (cell: string) => Converted {
  const expected = [...values.keys()].map((each) => `"${each}"`).join(' ')
  return (cell) =>
    values.has(cell)
      ? { value: values.get(cell) }
      : { reason: `expected one of ${expected}, the values of the mapping` }
}

function byDecimals(cell: string, text: string | undefined, column: string): Converted {
  const decimals = text === undefined ? undefined : convert(text, DECIMALS)
  if (DECIMALS.holds(decimals)) return toBaseUnits(cell, decimals as number)
  const found = printed(text) ?? 'absent'
  return {
    reason: `its decimals in column "${column}" are ${found}: expected ${DECIMALS.expected}`,
  }
}
