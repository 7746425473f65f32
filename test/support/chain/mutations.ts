/**
 * Real transactions damaged by a seed: parts removed, of another type or size, deeply nested, events and instructions
 * with other bytes, and the bytes of a whole message changed or truncated.
 */
import { decodeBase58, encodeBase58 } from '../../../domain/numbers/base58.ts'
import type { Prng } from '../../../streams/simulator/prng.ts'

type Json = Record<string, unknown>

const PAYLOAD_TEXT_MAX = 65_536
const NESTED_DEEP = 20_000
/** Copies of an element of a list: as many instructions as no transaction holds. */
const COPIES_MAX = 300

function nested(depth: number): unknown {
  let value: unknown = []
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Values that a broken or hostile source may put anywhere; created for each call, since later damage may change them. */
const HOSTILE: readonly (() => unknown)[] = [
  () => null,
  () => undefined,
  () => '',
  () => 'x'.repeat(5_000),
  () => '1'.repeat(5_000),
  () => -1,
  () => 0.5,
  () => 1e300,
  () => 2 ** 53,
  () => 2 ** 31,
  () => Number.NaN,
  () => [],
  () => ({}),
  () => [[null]],
  () => ({ length: 9 }),
  () => '18446744073709551615',
  () => '9223372036854775807',
  () => '99999999999999999999999999',
  () => new Uint8Array(3),
  () => Uint8Array.from({ length: 300 }, (_, index) => index),
  () => true,
  () => nested(NESTED_DEEP),
]

/** Damages a transaction in place, in one to six ways. */
export function damage(transaction: Json, prng: Prng): void {
  for (let count = 1 + prng.below(6); count > 0; count--) {
    if (prng.chance(0.4)) damagePayload(transaction, prng)
    else damagePart(transaction, prng)
  }
}

/** Walks down at random, and damages what is there. */
function damagePart(root: Json, prng: Prng): void {
  let node: object = root
  for (;;) {
    const names = Object.keys(node)
    if (names.length === 0 || ArrayBuffer.isView(node)) return
    const name = prng.pick(names)
    const child = (node as Json)[name]
    const isInner = typeof child === 'object' && child !== null && !ArrayBuffer.isView(child)
    if (isInner && prng.chance(0.85)) {
      node = child
      continue
    }
    const owner = node as Json
    if (Array.isArray(node) && prng.chance(0.3)) node.push(...copiesOf(child, prng))
    else if (prng.chance(0.2)) remove(node, name)
    else if (typeof child === 'string' && prng.chance(0.5)) owner[name] = changedText(child, prng)
    else if (typeof child === 'number' && prng.chance(0.5)) owner[name] = prng.below(300)
    else owner[name] = prng.pick(HOSTILE)()
    return
  }
}

function remove(node: object, name: string): void {
  if (Array.isArray(node)) node.splice(Number(name), 1)
  else delete (node as Json)[name]
}

const copiesOf = (child: unknown, prng: Prng): unknown[] =>
  Array.from({ length: 1 + prng.below(prng.chance(0.05) ? COPIES_MAX : 3) }, () => copyOf(child))

/** Null for what is nested too deep to be copied. */
function copyOf(child: unknown): unknown {
  try {
    return structuredClone(child)
  } catch {
    return null
  }
}

function changedText(text: string, prng: Prng): string {
  const at = prng.below(text.length + 1)
  if (prng.chance(0.4)) return text.slice(0, at)
  return text.slice(0, at) + String.fromCharCode(33 + prng.below(90)) + text.slice(at + 1)
}

/** Changes the bytes of an instruction or of an event in the logs. */
function damagePayload(transaction: Json, prng: Prng): void {
  const { instructions, logs } = partsOf(transaction)
  if (logs !== undefined && prng.chance(0.5)) {
    const lines = logs.flatMap((line, at) =>
      typeof line === 'string' && EVENT_LINE.test(line) ? [at] : [],
    )
    if (lines.length === 0) return
    const at = prng.pick(lines)
    logs[at] = String(logs[at]).replace(EVENT_LINE, (_, start: string, base64: string) => {
      return start + changedBytes(Buffer.from(base64, 'base64'), prng).toString('base64')
    })
    return
  }
  if (instructions.length === 0) return
  const instruction = prng.pick(instructions)
  if (instruction.data instanceof Uint8Array) {
    instruction.data = Uint8Array.from(changedBytes(Buffer.from(instruction.data), prng))
    return
  }
  const bytes = decodeBase58(String(instruction.data), PAYLOAD_TEXT_MAX)
  if (bytes === undefined) return
  instruction.data = encodeBase58(changedBytes(Buffer.from(bytes), prng))
}

const EVENT_LINE = /^(Program data: |Program log: ray_log: )(.*)$/

function partsOf(transaction: Json): { instructions: Json[]; logs: unknown[] | undefined } {
  const objectOf = (value: unknown): Json =>
    typeof value === 'object' && value !== null ? (value as Json) : {}
  const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
  const meta = objectOf(transaction.meta)
  const message = objectOf(objectOf(transaction.transaction).message)
  const groups = listOf(meta.innerInstructions).map((group) => objectOf(group).instructions)
  const instructions = [message.instructions, ...groups].flatMap(listOf).map(objectOf)
  const logs = Array.isArray(meta.logMessages) ? meta.logMessages : undefined
  return { instructions, logs }
}

/** Flips bytes, truncates, extends, or writes a number that no field expects. */
export function changedBytes(bytes: Buffer, prng: Prng): Buffer {
  const at = prng.below(Math.max(1, bytes.length))
  switch (prng.below(5)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes, Buffer.alloc(prng.below(200), prng.below(256))])
    case 2: {
      const filled = Buffer.from(bytes)
      return filled.fill(
        prng.chance(0.5) ? 0xff : 0,
        at,
        Math.min(bytes.length, at + 1 + prng.below(16)),
      )
    }
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(prng.below(bytes.length + 1))])
    default: {
      const flipped = Buffer.from(bytes)
      for (let count = 1 + prng.below(4); count > 0 && bytes.length > 0; count--) {
        const offset = prng.below(bytes.length)
        flipped[offset] = (flipped[offset] as number) ^ (1 << prng.below(8))
      }
      return flipped
    }
  }
}
