/**
 * Reads the environment through the table of settings: one parser for each form of value. An empty variable counts as
 * not set, because compose files and shells write it that way.
 */
import { insteadOf, nearestName } from '../../domain/text/nearest-name.ts'
import { parseNetwork } from '../../domain/text/network.ts'
import { isNatsUrl } from '../../streams/nats/nats-url.ts'
import type { Kind, Setting } from './setting.ts'
import { SETTINGS, type SettingName } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

type Given<K extends Kind> = K extends { form: 'port' | 'integer' | 'rate' | 'mebibytes' }
  ? number
  : K extends { choices: readonly (infer Choice)[] }
    ? Choice
    : string

/** Type of a setting's value: undefined is possible only where the table has no default. */
type ValueOf<S extends Setting> = S extends { default: string | number }
  ? Given<S['kind']>
  : Given<S['kind']> | undefined

export type Values = { [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> }

const PORT_MAX = 65_535
const OWN_PREFIX = 'SWAPTIDE_'

/** The value of every setting; errors of single values are appended to `errors`. */
export function readValues(environment: Environment, errors: string[]): Values {
  const read = Object.entries<Setting>(SETTINGS).map(([name, setting]) => {
    const text = environment[name]?.trim()
    if (!text) return [name, setting.default]
    const parsed = parse(setting.kind, text)
    if (!('expected' in parsed)) return [name, parsed.value]
    const isUrl = ['url', 'origin', 'nats'].includes(setting.kind.form)
    const isQuoted = !setting.isSecret && !isUrl
    errors.push(`${name}${isQuoted ? ` "${text}"` : ''}: ${parsed.expected}`)
    // A rejected URL still counts as set in the rules between settings.
    return [name, isUrl ? text : setting.default]
  })
  return Object.fromEntries(read) as Values
}

type Parsed = { value: string | number } | { expected: string }

function parse(kind: Kind, text: string): Parsed {
  switch (kind.form) {
    case 'text':
    case 'file':
      return { value: text }
    case 'port':
      return integer(text, 0, PORT_MAX)
    case 'integer':
      return integer(text, kind.min, kind.max)
    case 'url':
      return url(text, kind.schemes)
    case 'nats':
      return isNatsUrl(text) ? { value: text } : { expected: expectation(kind) }
    case 'urls':
      return text.split(',').every((each) => isUrlOf(each.trim(), kind.schemes))
        ? { value: text }
        : { expected: expectation(kind) }
    case 'origin':
      return isUrlOf(text, kind.schemes) && /^\w+:\/\/[^/?#@]+\/?$/.test(text)
        ? { value: new URL(text).origin }
        : { expected: expectation(kind) }
    case 'networks':
      return text.split(',').every((each) => parseNetwork(each) !== undefined)
        ? { value: text }
        : { expected: expectation(kind) }
    case 'choice':
      return kind.choices.includes(text)
        ? { value: text }
        : { expected: insteadOf(text, kind.choices) }
    case 'rate':
      return /^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) > 0
        ? { value: Number(text) }
        : { expected: expectation(kind) }
    case 'mebibytes':
      return mebibytes(text, kind)
    case 'token':
      // A header carries only printable ASCII; a short token can be guessed.
      return text.length >= kind.lengthMin && /^[\x21-\x7e]+$/.test(text)
        ? { value: text }
        : { expected: expectation(kind) }
    case 'prefix':
      return /^[a-z0-9_-]{1,32}$/.test(text) ? { value: text } : { expected: expectation(kind) }
  }
}

/** The requirement on a value, as errors and docs/configuration.md state it. */
export function expectation(kind: Kind): string {
  switch (kind.form) {
    case 'text':
      return 'expected text'
    case 'file':
      return 'expected a path'
    case 'port':
      return `expected an integer of 0 to ${PORT_MAX}`
    case 'integer':
      return `expected an integer of ${kind.min} to ${kind.max}`
    case 'url':
      return `expected a URL that begins with ${kind.schemes.map((each) => `${each}//`).join(' or ')}`
    case 'nats':
      return 'expected nats:// or tls:// with host and port, or a list of these with commas and one user'
    case 'urls':
      return `expected URLs that begin with ${kind.schemes.map((each) => `${each}//`).join(' or ')}, with commas between them`
    case 'origin':
      return `expected a URL that begins with ${kind.schemes.map((each) => `${each}//`).join(' or ')}, without a path`
    case 'networks':
      return 'expected addresses or networks, such as 127.0.0.1 or 10.0.0.0/8, with commas between them'
    case 'choice':
      return `expected one of ${kind.choices.join(' ')}`
    case 'rate':
      return 'expected US dollars a SOL, such as 150.25'
    case 'mebibytes':
      return `expected a size of ${kind.min}MB or more, such as 512MB or 4GB`
    case 'token':
      return `expected ${kind.lengthMin} characters of ASCII or more, without spaces`
    case 'prefix':
      return 'expected 1 to 32 of the characters a-z, 0-9, "-" and "_"'
  }
}

function integer(text: string, min: number, max: number): Parsed {
  const value = Number(text)
  return /^\d+$/.test(text) && value >= min && value <= max
    ? { value }
    : { expected: expectation({ form: 'integer', min, max }) }
}

/** Whether a text is a URL of one of the schemes, each with its colon. */
export function isUrlOf(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol)
}

/** A URL may hold a password: callers do not repeat it in a message. */
function url(text: string, schemes: readonly string[]): Parsed {
  return isUrlOf(text, schemes)
    ? { value: text }
    : { expected: expectation({ form: 'url', schemes }) }
}

/** A size in MB or GB, as PostgreSQL writes it. */
function mebibytes(text: string, kind: Kind & { form: 'mebibytes' }): Parsed {
  const [, count, unit] = /^(\d{1,7}) ?(MB|GB)$/.exec(text) ?? []
  const value = Number(count) * (unit === 'GB' ? 1_024 : 1)
  return value >= kind.min ? { value } : { expected: expectation(kind) }
}

/**
 * Errors for variables that begin with SWAPTIDE_ and that the table lacks: after a typing error a default would apply.
 */
export function unknownVariables(environment: Environment): string[] {
  const known = Object.keys(SETTINGS)
  const own = known.filter((name) => name.startsWith(OWN_PREFIX))
  return Object.keys(environment)
    .filter((name) => name.startsWith(OWN_PREFIX) && !own.includes(name))
    .filter((name) => environment[name]?.trim())
    .map((name) => {
      const nearest = nearestName(name, known)
      const advice = nearest === null ? `use one of ${own.join(' ')}` : `did you mean "${nearest}"?`
      return `unknown variable "${name}": ${advice}`
    })
}
