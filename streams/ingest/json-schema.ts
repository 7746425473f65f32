/**
 * The ingest contract as JSON Schema (2020-12) of one line, from the table that checks lines. Pure.
 *
 * Where it states less than `ingest` checks, a field's description has the whole rule: what base58 decodes to, the wall
 * clock, a repeated key. Bounds of int64 are bigints: write them exactly.
 */
import type { Event } from '../../domain/events/event.ts'
import { CONTRACT, type Field, type Presence } from './contract.ts'
import type { JsonSchema } from './rule.ts'

const TITLES: Readonly<Record<Event['kind'], string>> = {
  swap: 'A swap of a token and SOL in a pool',
  pool_event: 'A pool was created, migrated, or its liquidity changed',
  token: 'Facts about a mint',
  retract: 'A block left the chain: its swaps and pool events are taken back',
}

const NOTES: Readonly<Record<Presence, string>> = {
  required: '',
  defaulted: '',
  optional: '; null is absent',
  lenient: '; null is absent; another value is left out with a warning',
}

export function ingestSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A line of Swaptide ingest (NDJSON)',
    description: 'One JSON object a line; fields that are not named here are ignored.',
    type: 'object',
    required: ['kind'],
    oneOf: Object.entries(CONTRACT).map(([kind, fields]) => ({
      title: TITLES[kind as Event['kind']],
      type: 'object',
      properties: {
        kind: { const: kind },
        ...Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
      },
      required: ['kind', ...fields.filter(isRequired).map(({ name }) => name)],
    })),
  }
}

const isRequired = ({ presence }: Field): boolean => presence === 'required'

function schemaOf({ rule, presence }: Field): JsonSchema {
  const description = rule.expected + NOTES[presence]
  return presence === 'optional' || presence === 'lenient'
    ? { description, anyOf: [rule.schema, { type: 'null' }] }
    : { description, ...rule.schema }
}
