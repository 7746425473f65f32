/**
 * Parses a command's arguments. One description serves the parser, the help and the messages about wrong arguments.
 * A UsageError means exit code 2: the command had no effect.
 */

import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import { insteadOf, nearestName } from '../../domain/text/nearest-name.ts'
import { cut } from '../../domain/text/truncate.ts'

type Option = ParseArgsOptionDescriptor & {
  about: string
  /** Placeholder of the value in the help. */
  value?: string
}

export type Usage<Options extends Record<string, Option> = Record<string, Option>> = {
  /** After `swaptide`, e.g. `ingest FILE... | -`. */
  line: string
  options: Options
  /** Further paragraphs of the help, each on one line. */
  notes?: readonly string[]
  /** Command lines that the help shows, at least one. */
  examples: readonly string[]
  /** All arguments are passed on to another program, which parses them. */
  passesOn?: true
}

export class UsageError extends Error {
  override name = 'UsageError'
}

export function usage<const Options extends Record<string, Option>>(
  described: Usage<Options>,
): Usage<Options> {
  return described
}

/** Returns the typed values of the options and the positional arguments. Throws UsageError. */
export function parseArguments<const Options extends Record<string, Option>>(
  { line, options }: Usage<Options>,
  argv: readonly string[],
) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })
  } catch (cause) {
    throw new UsageError(explain(cause, line, options), { cause })
  }
}

function explain(cause: unknown, line: string, options: Readonly<Record<string, Option>>): string {
  const { code, message } = cause as NodeJS.ErrnoException
  const command = line.split(' ')[0]
  const names = [...Object.keys(options), 'help'].map((name) => `--${name}`)
  const known = names.join(' ')
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const option = /'([^']+)'/.exec(message)?.[1] ?? ''
    return `unknown option "${option}": ${suggest(option, names) ?? `${command} has ${known}`}`
  }
  const name = /--([a-z-]+)/.exec(message)?.[1] ?? ''
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && option !== undefined) {
    if (option.type === 'boolean') return `--${name} takes no value: ${option.about}`
    return `--${name} needs a value: ${option.value ?? 'VALUE'}, ${option.about}`
  }
  const reason = message.split('\n')[0]?.replaceAll("'", '"').replace(/\.$/, '')
  return `${reason}: ${command} has ${known}`
}

function suggest(word: string, known: readonly string[]): string | undefined {
  const nearest = nearestName(word, known)
  return nearest === null ? undefined : `did you mean "${nearest}"?`
}

type IntegerBounds = { min: number; max: number }

/** Returns the option's value as an integer, or undefined when it is absent. Throws UsageError. */
export function integerOption(
  name: string,
  text: string | undefined,
  { min, max }: IntegerBounds,
): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new UsageError(`--${name} "${text}": expected an integer of ${min} to ${max}`)
}

/** Returns the option's value as one line of 1 to `lengthMax` characters. Throws UsageError. */
export function textOption(name: string, text: string, lengthMax: number): string {
  const { length } = Array.from(text)
  if (length >= 1 && length <= lengthMax && !/\p{Cc}/u.test(text)) return text
  throw new UsageError(
    `--${name} ${JSON.stringify(cut(text))}: expected 1 to ${lengthMax} characters without control characters`,
  )
}

/** Returns the option's value as one of the choices. Throws UsageError, also when it is absent. */
export function choiceOption<Choice extends string>(
  name: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === text)
  if (found !== undefined) return found
  if (text === undefined)
    throw new UsageError(`--${name} is missing: use one of ${choices.join(' ')}`)
  throw new UsageError(`unknown ${name} "${text}": ${insteadOf(text, choices)}`)
}

/** Returns the first word after a command as one of its choices. Throws UsageError, also when it is absent. */
export function choiceWord<Choice extends string>(
  command: string,
  word: string | undefined,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === word)
  if (found !== undefined) return found
  if (word === undefined) {
    throw new UsageError(`"${command}" alone does nothing: use one of ${choices.join(' ')}`)
  }
  throw new UsageError(`unknown "${command} ${word}": ${insteadOf(word, choices)}`)
}

/** Throws UsageError for arguments that the command does not accept. */
export function expectNone(line: string, extra: readonly string[]): void {
  const [first] = extra
  if (first === undefined) return
  const option = line.match(/--[a-z-]+/g)?.find((each) => each === `--${first}`)
  const instead =
    option === undefined ? `the command is swaptide ${line}` : suggest(option, [option])
  throw new UsageError(`unexpected argument "${first}": ${instead}`)
}
