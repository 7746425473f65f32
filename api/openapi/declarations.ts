/** TypeScript types of the schemas of the OpenAPI document, for the client and the console. Pure. */
import { referredName } from '../routing/components.ts'

export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  description?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  patternProperties?: Readonly<Record<string, Schema>>
}
/** Types written so far, the schemas of the others, and the type of an integer. */
export type Named = {
  types: Map<string, string>
  schemas: Readonly<Record<string, Schema>>
  integerOf: (schema: Schema) => string
}

/** Components are types of that name. */
export function typeOf(schema: Schema, named: Named, indent: string): string {
  if (schema.$ref === undefined) return plainTypeOf(schema, named, indent)
  const name = referredName(schema.$ref)
  const component = named.schemas[name]
  if (component === undefined) throw new Error(`"${schema.$ref}" is no component of the document`)
  if (!named.types.has(name)) {
    named.types.set(name, '')
    named.types.set(name, plainTypeOf(component, named, ''))
  }
  return name
}

function plainTypeOf(schema: Schema, named: Named, indent: string): string {
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf !== undefined) {
    return [...new Set(schema.anyOf.map((each) => typeOf(each, named, indent)))].join(' | ')
  }
  switch (schema.type) {
    case 'array':
      return `Array<${typeOf(schema.items ?? {}, named, indent)}>`
    case 'object':
      return objectOf(schema, named, indent)
    case 'integer':
      return named.integerOf(schema)
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

function objectOf(schema: Schema, named: Named, indent: string): string {
  const { properties, required = [], patternProperties = {} } = schema
  if (properties === undefined) {
    const [value] = Object.values(patternProperties)
    return `Record<string, ${value === undefined ? 'unknown' : typeOf(value, named, indent)}>`
  }
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, property]) => {
    const key = /^\w+$/.test(name) && !/^\d/.test(name) ? name : `'${name}'`
    return `${inner}${key}${required.includes(name) ? '' : '?'}: ${typeOf(property, named, inner)}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value)
}
