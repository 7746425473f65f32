/**
 * Replaces the story's values in the examples of a document by those of an installation: addresses, signatures,
 * slots, times and request parameters. Pure.
 *
 * Only examples of requests and of successful responses change; errors retain the story, whose token is indexed
 * nowhere. Figures of responses stay the story's: they show a shape, and reading real ones requires a key.
 */
import { readTime } from '../../../domain/time/time.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { venueOf } from '../../../domain/venue.ts'
import * as story from '../../examples/story.ts'

/** Values of an installation for examples. */
export type LiveExamples = {
  /** Texts of the story and their replacements, also within other texts. */
  texts: ReadonlyMap<string, string>
  slots: ReadonlyMap<number, number>
  /** Time of the buy; times of the story are shifted with it. */
  buyMs: number
  dex: number
  /** Parameters by `<path> <name>`, or by name; undefined: the parameter has no example here. */
  parameterValues: ReadonlyMap<string, unknown>
}

type JsonObject = Record<string, unknown>
type Parameter = JsonObject & { name: string; schema?: { type?: string } }
type Operation = {
  parameters?: Parameter[]
  requestBody?: JsonObject
  responses?: Record<string, JsonObject>
}

const [STORY_BEGINS_MS, STORY_ENDS_MS] = [story.CREATION_MS - DAY_MS, story.NOW_MS + 31 * DAY_MS]
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const ISO_DAY = /^\d{4}-\d\d-\d\d$/
const { POOL_VENUE } = story

/** An OpenAPI document with localized examples. */
export function localizeOpenApi(document: JsonObject, live: LiveExamples): JsonObject {
  const localize = localizerOf(live)
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>)
  const localized = paths.map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        operationOf(path, operation, live, localize),
      ]),
    ),
  ])
  return { ...document, paths: Object.fromEntries(localized) }
}

/** Localized examples of the messages of an AsyncAPI document. */
export function localizeAsyncApi(document: JsonObject, live: LiveExamples): JsonObject {
  const localize = localizerOf(live)
  const { messages, ...rest } = document.components as { messages: Record<string, JsonObject> }
  const localized = Object.entries(messages).map(([name, message]) => [
    name,
    message.examples === undefined ? message : { ...message, examples: localize(message.examples) },
  ])
  return { ...document, components: { messages: Object.fromEntries(localized), ...rest } }
}

/** The example request of a route, as its localized document has it. */
export function requestOf(
  path: string,
  example: Readonly<Record<string, unknown>>,
  live: LiveExamples,
): Record<string, unknown> {
  const localize = localizerOf(live)
  const localized = Object.entries(example).map(([name, value]): [string, unknown] => [
    name,
    exampleAt(path, name, value, live, localize),
  ])
  return Object.fromEntries(localized.filter(([, value]) => value !== undefined))
}

function exampleAt(
  path: string,
  name: string,
  value: unknown,
  live: LiveExamples,
  localize: Localize,
) {
  const known = [`${path} ${name}`, name].find((key) => live.parameterValues.has(key))
  return known === undefined ? localize(value) : live.parameterValues.get(known)
}

type Localize = (value: unknown) => unknown

function operationOf(path: string, operation: Operation, live: LiveExamples, localize: Localize) {
  const { parameters, requestBody, responses = {} } = operation
  const answers = Object.entries(responses).map(([status, response]) => [
    status,
    status.startsWith('2') ? contentOf(response, localize) : response,
  ])
  return {
    ...operation,
    ...(parameters && {
      parameters: parameters.map((each) => parameterOf(path, each, live, localize)),
    }),
    ...(requestBody && { requestBody: contentOf(requestBody, localize) }),
    responses: Object.fromEntries(answers),
  }
}

function contentOf(holder: JsonObject, localize: Localize): JsonObject {
  if (holder.content === undefined) return holder
  const content = Object.entries(holder.content as Record<string, JsonObject>)
  const localized = content.map(([type, media]) => [
    type,
    { ...media, example: localize(media.example) },
  ])
  return { ...holder, content: Object.fromEntries(localized) }
}

function parameterOf(path: string, parameter: Parameter, live: LiveExamples, localize: Localize) {
  const { example, examples, ...rest } = parameter
  const [alone] = Object.values((examples ?? {}) as Record<string, { value: unknown }>)
  const documented = example ?? alone?.value
  const known = exampleAt(path, parameter.name, documented, live, localize)
  // A required parameter always has an example, even one that matches no data here.
  const value = known === undefined && parameter.required === true ? localize(documented) : known
  if (value === undefined) return rest
  return example === undefined
    ? { ...rest, examples: { alone: { value } } }
    : { ...rest, example: value }
}

function localizerOf({ texts, slots, buyMs, dex }: LiveExamples): Localize {
  const shiftMs = buyMs - story.BUY_MS
  const known = new RegExp([...texts.keys()].map(escaped).join('|'), 'g')
  const isOfStory = (ms: number): boolean => ms >= STORY_BEGINS_MS && ms <= STORY_ENDS_MS
  const textOf = (text: string): string => {
    if (text === POOL_VENUE.name) return venueOf(dex).name
    if (text === POOL_VENUE.programName) return venueOf(dex).programName
    const isDay = ISO_DAY.test(text)
    if (!isDay && !ISO_TIME.test(text)) {
      return texts.size === 0 ? text : text.replaceAll(known, (found) => texts.get(found) ?? found)
    }
    const read = readTime(text, 'first')
    if ('error' in read || !isOfStory(read.ms)) return text
    const dayShiftMs = wholeDays(buyMs) - wholeDays(story.BUY_MS)
    const moved = new Date(read.ms + (isDay ? dayShiftMs : shiftMs))
    return isDay ? moved.toISOString().slice(0, 'YYYY-MM-DD'.length) : moved.toISOString()
  }
  const localize = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return textOf(value)
    if (key === 'dex' && value === story.SWAP.dex) return dex
    if (typeof value === 'number')
      return isOfStory(value) ? value + shiftMs : (slots.get(value) ?? value)
    if (Array.isArray(value)) return value.map((each) => localize(each))
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value)
    return Object.fromEntries(fields.map(([name, each]) => [textOf(name), localize(each, name)]))
  }
  return (value) => localize(value)
}

const wholeDays = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
