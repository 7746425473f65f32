/**
 * Named schemas of a document: an object that has a `title` or an `$id` becomes a component of that name, and each use
 * of it a reference. The names are those of the GraphQL types and of the types of the pages. Pure.
 *
 * Law: a name has one schema. Two that differ are an error when the document is built.
 * Decision: docs/decisions/0048-names-in-documents-are-declared.md
 */
import type { TSchema } from 'typebox'
import { withoutId } from './schema.ts'

type JsonObject = Record<string, unknown>

export type Components = {
  /** The schema with its named objects as references to components. */
  refer(schema: TSchema): unknown
  /** Every schema that was referred to, by name. */
  schemas(): JsonObject
}

const PREFIX = '#/components/schemas/'

export function createComponents(): Components {
  const byName = new Map<string, TSchema>()

  const refer = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer)
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).map(([key, own]) => [key, refer(own)])
    const written = Object.fromEntries(fields) as JsonObject
    const name = nameOf(value as JsonObject)
    if (name === undefined) return written
    const schema = { title: name, ...written }
    const known = byName.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are called "${name}": give one of them another title`)
    }
    byName.set(name, schema)
    return { $ref: PREFIX + name }
  }

  return {
    refer: (schema) => withoutId(refer(JSON.parse(JSON.stringify(schema))) as TSchema),
    schemas() {
      const sorted = [...byName].sort(([a], [b]) => (a < b ? -1 : 1))
      return Object.fromEntries(sorted.map(([name, schema]) => [name, withoutId(schema)]))
    },
  }
}

/** The name of the component that a reference is of. */
export function referredName(reference: string): string {
  return reference.slice(PREFIX.length)
}

/** Objects alone are named: other schemas are as short as a reference to them. */
function nameOf({ title, $id, properties }: JsonObject): string | undefined {
  if (typeof properties !== 'object') return undefined
  const name = title ?? $id
  return typeof name === 'string' ? name : undefined
}
