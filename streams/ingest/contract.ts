/**
 * The ingest contract: a line of NDJSON becomes an Event, or every reason why it cannot. Pure: the
 * wall clock is an argument.
 *
 * One table a kind, in the order of the interface, is the contract; the edges that read lines and tables and the worker
 * that reads decoded events go by it. A field that it does not name is ignored. A line reports all its refusals.
 *
 * A lenient field that breaks its rule is left out with a warning: of a token line, where each field is a separate fact
 * that a later line may bring, and of a swap what is no part of the trade: virtual reserves and fees outside the legs. Other optional fields
 * of swaps and pool events are part of what happened, which is never stored again: they refuse the line.
 */
import type { Event } from '../../domain/events/event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import type { Token } from '../../domain/events/token.ts'
import { type JsonObject, parseExactObject } from '../../domain/text/exact-json.ts'
import { trimName } from '../../domain/text/padding.ts'
import { poolEventOf, retractionOf, swapOf, tokenOf } from './line-event.ts'
import { leftOut, printed, type Refusal, refuseJson } from './refusal.ts'
import {
  ADDRESS,
  BASE_DECIMALS,
  BOOLEAN,
  BPS,
  CLOCK_LEAD_MS_MAX,
  DECIMALS,
  DEX,
  type FieldRule,
  INT32,
  INT64,
  POOL_EVENT_KIND,
  POSITIVE_INT64,
  PRICE,
  SAFE_INTEGER,
  SIGNATURE,
  TEXT,
  TIMESTAMP,
} from './rule.ts'

/**
 * required: must be there. defaulted: may be missing. optional: may be missing or null. lenient: optional, and left out
 * where it breaks its rule.
 */
export type Presence = 'required' | 'defaulted' | 'optional' | 'lenient'

export type Field = {
  /** Name on the wire. */
  readonly name: string
  /** Name in the decoded event. */
  readonly key: string
  readonly rule: FieldRule
  readonly presence: Presence
}

const KINDS = '"swap", "pool_event", "token" or "retract"'

const field = (name: string, rule: FieldRule, presence: Presence = 'required'): Field => ({
  name,
  key: name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  rule,
  presence,
})

const SWAP_FIELDS: readonly Field[] = [
  field('signature', SIGNATURE),
  field('slot', SAFE_INTEGER),
  field('timestamp', TIMESTAMP),
  field('token_address', ADDRESS),
  field('pair_address', ADDRESS),
  field('user', ADDRESS),
  field('is_buy', BOOLEAN),
  field('dex', DEX),
  field('sol_amount', INT64),
  field('token_amount', POSITIVE_INT64),
  field('fee', INT64, 'defaulted'),
  field('fee_bps', INT32, 'defaulted'),
  field('creator_fee', INT64, 'defaulted'),
  field('creator_fee_bps', INT32, 'defaulted'),
  field('pool_price', PRICE, 'optional'),
  field('price_before', PRICE, 'optional'),
  field('price_after', PRICE, 'optional'),
  field('base_decimals', BASE_DECIMALS, 'defaulted'),
  field('quote_decimals', DECIMALS),
  field('virtual_sol_reserves', INT64, 'defaulted'),
  field('virtual_token_reserves', INT64, 'defaulted'),
  field('real_sol_reserves', INT64, 'defaulted'),
  field('real_token_reserves', INT64, 'defaulted'),
  field('transfer_fee_in', INT64, 'defaulted'),
  field('transfer_fee_out', INT64, 'defaulted'),
  field('cashback', INT64, 'defaulted'),
  field('cashback_bps', INT32, 'defaulted'),
  field('block_tx_index', SAFE_INTEGER, 'defaulted'),
  field('ix_index', INT32, 'defaulted'),
  field('time_source', INT32, 'defaulted'),
  field('agent_trade', INT32, 'defaulted'),
  field('virtual_quote_reserves', INT64, 'lenient'),
  field('outside_protocol_bps', BPS, 'lenient'),
  field('outside_creator_bps', BPS, 'lenient'),
  field('blockhash', ADDRESS, 'optional'),
]

const POOL_EVENT_FIELDS: readonly Field[] = [
  field('event', POOL_EVENT_KIND),
  field('signature', SIGNATURE),
  field('slot', SAFE_INTEGER),
  field('timestamp', TIMESTAMP),
  field('pair_address', ADDRESS),
  field('token_address', ADDRESS),
  field('dex', DEX),
  field('creator', ADDRESS, 'optional'),
  field('from_pair', ADDRESS, 'optional'),
  field('sol_amount', INT64, 'optional'),
  field('token_amount', INT64, 'optional'),
  field('block_tx_index', SAFE_INTEGER, 'defaulted'),
  field('ix_index', INT32, 'defaulted'),
  field('blockhash', ADDRESS, 'optional'),
]

const RETRACTION_FIELDS: readonly Field[] = [
  field('slot', SAFE_INTEGER),
  field('blockhash', ADDRESS, 'optional'),
]

const TOKEN_FIELDS: readonly Field[] = [
  field('token_address', ADDRESS),
  field('slot', SAFE_INTEGER, 'defaulted'),
  field('creator', ADDRESS, 'lenient'),
  field('decimals', DECIMALS, 'lenient'),
  field('symbol', TEXT, 'lenient'),
  field('name', TEXT, 'lenient'),
  field('supply', INT64, 'lenient'),
  field('sector', TEXT, 'lenient'),
  field('uri', TEXT, 'lenient'),
]

const LENIENT_OF_SWAP = SWAP_FIELDS.filter(({ presence }) => presence === 'lenient')

/** The fields of each kind, in the order of the interface: checks and docs/ingest-fields.md come from here. */
export const CONTRACT: Readonly<Record<Event['kind'], readonly Field[]>> = {
  swap: SWAP_FIELDS,
  pool_event: POOL_EVENT_FIELDS,
  token: TOKEN_FIELDS,
  retract: RETRACTION_FIELDS,
}

/** Every field that must be an integer: where its number is unsafe, its digits are parsed. */
const INTEGER_FIELDS: ReadonlySet<string> = new Set(
  [...SWAP_FIELDS, ...POOL_EVENT_FIELDS, ...TOKEN_FIELDS]
    .filter(({ rule }) =>
      [INT64, POSITIVE_INT64, SAFE_INTEGER, INT32, BPS, TIMESTAMP].includes(rule),
    )
    .map(({ name }) => name),
)

/** Each warning is a field of the line that was ignored. Absent: no warnings. */
export type ParsedLine = { event: Event; warnings?: readonly Refusal[] } | { refusals: Refusal[] }

/** The event of a line, or all that speaks against it in the order of the interface. */
export function parseEvent(line: string, nowMs: number): ParsedLine {
  const parsed = parseExactObject(line, INTEGER_FIELDS)
  if (parsed !== undefined && 'json' in parsed) return eventOf(parsed.json, nowMs)
  return { refusals: [refuseJson(line, parsed)] }
}

/** The same of fields, where integers beyond 2^53-1 are bigints. */
export function eventOf(json: JsonObject, nowMs: number): ParsedLine {
  const latestMs = nowMs + CLOCK_LEAD_MS_MAX
  switch (json.kind) {
    case 'swap': {
      const { fields, bad } = withoutBadFieldsOfSwap(json, 'name')
      const refusals = refusalsOf(fields, SWAP_FIELDS, latestMs)
      if (refusals) return { refusals: [...refusals, ...bad] }
      const event: Event = { kind: 'swap', swap: swapOf(fields) }
      return bad.length === 0 ? { event } : { event, warnings: bad.map(leftOut) }
    }
    case 'pool_event': {
      const refusals = refusalsOf(json, POOL_EVENT_FIELDS, latestMs)
      return refusals
        ? { refusals }
        : { event: { kind: 'pool_event', poolEvent: poolEventOf(json) } }
    }
    case 'token': {
      const { fields, bad } = withoutBadFields(json)
      const refusals = refusalsOf(fields, TOKEN_FIELDS, latestMs)
      if (refusals) return { refusals: [...refusals, ...bad] }
      const event: Event = { kind: 'token', token: tokenOf(fields) }
      return bad.length === 0 ? { event } : { event, warnings: bad.map(leftOut) }
    }
    case 'retract': {
      const refusals = refusalsOf(json, RETRACTION_FIELDS, latestMs)
      return refusals
        ? { refusals }
        : { event: { kind: 'retract', retraction: retractionOf(json) } }
    }
    default:
      return {
        refusals: [{ field: 'kind', value: printed(json.kind), reason: `expected ${KINDS}` }],
      }
  }
}

/**
 * The first rule that a decoded event breaks, by the same table. The wall clock does not count: replaying an event
 * later must not change whether it is accepted.
 */
export function checkEvent(event: Event): Refusal | undefined {
  switch (event.kind) {
    case 'swap':
      return checkSwap(event.swap)
    case 'pool_event':
      return checkPoolEvent(event.poolEvent)
    case 'token':
      return checkToken(event.token)
    case 'retract':
      return checkRetraction(event.retraction)
    default:
      return event satisfies never
  }
}

/**
 * Normalizes a token line from the wire, where another program may have written it, as parseEvent does: texts
 * trimmed, fields that break their rule left out.
 */
export function mendToken(token: Token): { token: Token; warnings: readonly Refusal[] } {
  const { fields, bad } = withoutBadFields(token)
  return { token: fields as Token, warnings: bad.map(leftOut) }
}

/** Normalizes a swap from the wire likewise: the same swap, or one without the lenient fields that break their rule. */
export function mendSwap(swap: Swap): { swap: Swap; warnings: readonly Refusal[] } {
  const { fields, bad } = withoutBadFieldsOfSwap(swap, 'key')
  return { swap: fields as Swap, warnings: bad.map(leftOut) }
}

/** A swap without the lenient fields that break their rule; the same object where none does. */
function withoutBadFieldsOfSwap(given: JsonObject, form: 'name' | 'key') {
  let fields = given
  const bad: Refusal[] = []
  for (const field of LENIENT_OF_SWAP) {
    const value = given[field[form]]
    if (isLeftOut(value, 'lenient') || field.rule.holds(value)) continue
    fields = { ...fields, [field[form]]: undefined }
    bad.push(refusalOf(field, value))
  }
  return { fields, bad }
}

const refusalOf = ({ name, rule }: Field, value: unknown): Refusal => ({
  field: name,
  value: printed(value),
  reason: `expected ${rule.expected}`,
})

/** A token line with its texts trimmed and without the optional fields that break their rule. */
function withoutBadFields(given: JsonObject): { fields: JsonObject; bad: Refusal[] } {
  const fields = { ...given }
  const bad: Refusal[] = []
  for (const field of TOKEN_FIELDS) {
    const { name, rule, presence } = field
    const value = fields[name]
    if (presence !== 'lenient' || isLeftOut(value, presence)) continue
    const text = rule === TEXT && typeof value === 'string' ? trimName(value) : value
    if (rule.holds(text)) {
      fields[name] = text
      continue
    }
    delete fields[name]
    bad.push(refusalOf(field, value))
  }
  return { fields, bad }
}

function refusalsOf(
  json: JsonObject,
  fields: readonly Field[],
  latestMs: number,
): Refusal[] | undefined {
  let refusals: Refusal[] | undefined
  for (const { name, rule, presence } of fields) {
    const value = json[name]
    if (isLeftOut(value, presence)) continue
    const holds = rule.holds(value)
    if (holds && (rule !== TIMESTAMP || (value as number) <= latestMs)) continue
    const expected = holds ? 'a time at most 10 minutes ahead of the clock here' : rule.expected
    refusals ??= []
    refusals.push({ field: name, value: printed(value), reason: `expected ${expected}` })
  }
  return refusals
}

/** The check of a decoded event, compiled once from the table of its kind. */
function compile(fields: readonly Field[]): (decoded: object) => Refusal | undefined {
  // Every Swap has SOL's decimals; it does not carry them.
  const carried = fields.filter(({ rule }) => rule !== BASE_DECIMALS)
  const keys = carried.map(({ key }) => key)
  const checks = carried.map(({ rule, presence }) => {
    const { holds } = rule
    // A decoder fills in the defaults, so only optional fields may be missing here.
    const mayBeMissing = presence === 'optional' || presence === 'lenient'
    return mayBeMissing ? (value: unknown) => value === undefined || holds(value) : holds
  })
  return (decoded) => {
    const values = decoded as JsonObject
    for (let index = 0; index < keys.length; index++) {
      const value = values[keys[index] as string]
      if ((checks[index] as FieldRule['holds'])(value)) continue
      return refusalOf(carried[index] as Field, value)
    }
    return undefined
  }
}

const checkSwap = compile(SWAP_FIELDS)
const checkPoolEvent = compile(POOL_EVENT_FIELDS)
const checkToken = compile(TOKEN_FIELDS)
const checkRetraction = compile(RETRACTION_FIELDS)

function isLeftOut(value: unknown, presence: Presence): boolean {
  if (presence === 'required') return false
  return value === undefined || (value === null && presence !== 'defaulted')
}
