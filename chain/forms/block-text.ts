/**
 * The JSON text of a `getBlock` answer with encoding base64, parsed as far as the decoder needs it. Pure.
 *
 * Most transactions of a block run no program of interest. They are found without parsing them: by the programs of
 * their outer instructions, which lie in the bytes of the message, and by those of their inner ones. The result of such a
 * transaction, and of one that failed, is `err` only; any other is parsed whole.
 *
 * Law: the decoder reads the same from it as from JSON.parse. A text that is not written as expected is given to
 * JSON.parse. Names are looked for with their quotes: in a JSON string quotes are escaped, so no log line holds one.
 * docs/decisions/0041-blocks-are-fetched-as-base64-and-parsed-in-part.md
 */
import type { TextBuffer } from '../../streams/codec/protobuf.ts'
import { missingPart } from '../transaction/missing-part.ts'
import { type Json, objectOf } from '../transaction/parts.ts'
import { isResultReadable } from './readable.ts'
import { WireTransaction } from './wire.ts'
import { WireMessage } from './wire-message.ts'

const LIST = Buffer.from('"transactions":[')
const MESSAGE = Buffer.from('"transaction":["')
const MESSAGE_END = Buffer.from('","base64"]')
const RESULT = Buffer.from('{"meta":')
const BORDER = Buffer.from('},{"meta":')
const AFTER_OBJECT = Buffer.from('},')
const ERROR = Buffer.from('"err":')
const INNER = Buffer.from('"innerInstructions":[')
const LOADED = Buffer.from('"loadedAddresses":{')
/** The log of a call inside another one, or a text of a program that looks like it. */
const NESTED_CALL = Buffer.from(' invoke [2]"')
const [QUOTE, COMMA, BACKSLASH, LETTER_N] = [0x22, 0x2c, 0x5c, 0x6e]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Same as JSON.parse of the text, but for what the decoder does not need for these programs. Throws SyntaxError. */
export function parseBlockText(body: Buffer, programs: ReadonlySet<string>): unknown {
  const bytes = body as TextBuffer
  const list = listOfEntries(bytes)
  if (list === undefined) return JSON.parse(bytes.toString('utf8'))
  const around = bytes.toString('utf8', 0, list.start) + bytes.toString('utf8', list.end)
  const answer: unknown = JSON.parse(around)
  const { transactions } = objectOf(objectOf(answer).result)
  // The list that was cut out must be that of the result.
  if (!Array.isArray(transactions) || transactions.length > 0) {
    return JSON.parse(bytes.toString('utf8'))
  }
  for (const entry of list.entries) transactions.push(readEntry(bytes, entry, programs))
  return answer
}

/** Where the parts of an entry lie. */
type Entry = {
  readonly start: number
  readonly end: number
  readonly messageStart: number
  readonly messageEnd: number
}

type EntryList = { readonly start: number; readonly end: number; readonly entries: Entry[] }

/** Undefined where a list is absent, empty, or not written as nodes write it. */
function listOfEntries(bytes: TextBuffer): EntryList | undefined {
  const found = bytes.indexOf(LIST)
  if (found === -1) return undefined
  const entries: Entry[] = []
  const listStart = found + LIST.length
  for (let start = listStart; ; ) {
    const entry = entryAt(bytes, start)
    if (entry === undefined) return undefined
    entries.push(entry)
    const { end } = entry
    if (bytes[end] === CLOSE_BRACKET) return { start: listStart, end, entries }
    if (bytes[end] !== COMMA) return undefined
    start = end + 1
  }
}

/** Undefined where it lacks its message, or begins with another name than its result or its message. */
function entryAt(bytes: TextBuffer, start: number): Entry | undefined {
  if (isAt(bytes, start + 1, MESSAGE)) return withMessage(bytes, start, start + 1)
  if (!isAt(bytes, start, RESULT)) return undefined
  // The result is passed over by the border of the next entry: of two entries, no message is read as the other's.
  const border = bytes.indexOf(BORDER, start)
  const name = bytes.lastIndexOf(MESSAGE, border === -1 ? bytes.length : border)
  if (name < start || !isAt(bytes, name - AFTER_OBJECT.length, AFTER_OBJECT)) return undefined
  const entry = withMessage(bytes, start, name)
  return border === -1 || entry?.end === border + 1 ? entry : undefined
}

/** `name`: offset of that of the message. The rest after the message is read to the end of the entry. */
function withMessage(bytes: TextBuffer, start: number, name: number): Entry | undefined {
  const messageStart = name + MESSAGE.length
  const messageEnd = bytes.indexOf(QUOTE, messageStart)
  if (!isAt(bytes, messageEnd, MESSAGE_END)) return undefined
  const end = containerEnd(bytes, messageEnd + MESSAGE_END.length, 1)
  return { start, end, messageStart, messageEnd }
}

/** Most differ in one of the first bytes, so a loop takes less than `compare`. False for places outside of the bytes. */
function isAt(bytes: TextBuffer, at: number, expected: Buffer): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected[index]) return false
  }
  return true
}

/** The end of so many arrays or objects that are open here; the end of the bytes where they lack it. */
function containerEnd(bytes: TextBuffer, from: number, open: number): number {
  let depth = open
  for (let at = from; at < bytes.length; at++) {
    const code = bytes[at]
    if (code === QUOTE) at = stringEnd(bytes, at + 1)
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return bytes.length
}

/** The quote that ends the string whose characters begin here. */
function stringEnd(bytes: TextBuffer, from: number): number {
  let at = from
  for (; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
  return at
}

/** The entry, with its message read. Throws SyntaxError. */
function readEntry(bytes: TextBuffer, entry: Entry, programs: ReadonlySet<string>): unknown {
  const text = bytes.latin1Slice(entry.messageStart, entry.messageEnd)
  const message = WireMessage.read(Buffer.from(text, 'base64'))
  const pruned = message === undefined ? undefined : prune(bytes, entry, message, programs)
  if (pruned !== undefined) return pruned
  const whole: unknown = JSON.parse(bytes.utf8Slice(entry.start, entry.end))
  return message === undefined ? whole : { ...objectOf(whole), transaction: message }
}

/** The entry of a transaction that failed or ran none of the programs; undefined for any other. */
function prune(
  bytes: TextBuffer,
  entry: Entry,
  message: WireMessage,
  programs: ReadonlySet<string>,
): Json | undefined {
  const error = offsetAfter(bytes, entry, ERROR)
  const isNull = bytes[error] === LETTER_N
  if (bytes[error] === OPEN_BRACE || bytes[error] === QUOTE) {
    return { transaction: message, meta: { err: 'failed' } }
  }
  const inner = offsetAfter(bytes, entry, INNER)
  if (!isNull || inner === -1) return undefined
  const pruned = { transaction: message, meta: NOTHING_NEEDED }
  const isNeeded = (meta: Json): boolean => {
    const transaction = new WireTransaction(message, undefined, meta)
    const ran = transaction.programs
    if (missingPart(transaction, ran, false) !== undefined) return true
    return Array.from(ran).some((index) => programs.has(transaction.key(index)))
  }
  // Outer instructions first: no program can load them from a lookup table.
  if (isNeeded(NOTHING_NEEDED)) return undefined
  if (bytes[inner] === CLOSE_BRACKET) {
    return offsetAfter(bytes, entry, NESTED_CALL) === -1 ? pruned : undefined
  }
  const meta = {
    innerInstructions: parseContainer(bytes, inner - 1),
    get loadedAddresses() {
      return parseContainer(bytes, offsetAfter(bytes, entry, LOADED) - 1)
    },
  }
  return !isResultReadable(meta, FORM) || isNeeded(meta) ? undefined : pruned
}

const FORM = { isPrinted: false }
/** The result of a transaction that ran no program of interest. */
const NOTHING_NEEDED: Json = { err: null, innerInstructions: [] }

/** The place after a name in the entry; -1 where the entry lacks it. */
function offsetAfter(bytes: TextBuffer, { start, end }: Entry, name: Buffer): number {
  const found = bytes.subarray(start, end).indexOf(name)
  return found === -1 ? -1 : start + found + name.length
}

/** The array or object that begins there; undefined for a negative place. Throws SyntaxError. */
function parseContainer(bytes: TextBuffer, start: number): unknown {
  if (start < 0) return undefined
  return JSON.parse(bytes.utf8Slice(start, containerEnd(bytes, start + 1, 1)))
}
