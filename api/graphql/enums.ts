/**
 * Enum types of GraphQL out of texts of few values. Pure.
 *
 * A value must be a name of GraphQL: `1m` and `24h` are none, so timeframes and windows stay String, and so does a
 * parameter that takes unknown values (`pnl_mode`) or several names of one value (a venue). Texts of the same values share
 * one type, which has the title of the first schema, or its place.
 */
import { GraphQLEnumType } from 'graphql'
import { VENUE } from '../routing/venue-naming.ts'

type Text = { title?: string; format?: string; enum?: readonly unknown[] }

/** The enum type of a schema; undefined: its values are none of a closed list of names. */
export type EnumMaker = (text: Text, fallbackName: string) => GraphQLEnumType | undefined

const NAME = /^[_A-Za-z]\w*$/
const NO_VALUES = new Set(['true', 'false', 'null'])
/** Formats of parameters whose values are only proposed. */
const OPEN_FORMATS: ReadonlySet<string | undefined> = new Set([VENUE, 'pnl-mode'])

export function enumMaker(): EnumMaker {
  const byValues = new Map<string, GraphQLEnumType>()
  return ({ title, format, enum: values }, fallbackName) => {
    if (values === undefined || OPEN_FORMATS.has(format) || !values.every(isName)) return undefined
    const key = values.join(' ')
    const known = byValues.get(key)
    if (known !== undefined) return known
    const name = title ?? fallbackName
    if (Array.from(byValues.values()).some((each) => each.name === name)) {
      throw new Error(`two enums are called "${name}": give one of them another title`)
    }
    const type = new GraphQLEnumType({
      name,
      values: Object.fromEntries(values.map((value) => [value, { value }])),
    })
    byValues.set(key, type)
    return type
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value) && !NO_VALUES.has(value)
}
