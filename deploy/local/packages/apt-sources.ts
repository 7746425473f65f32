// Where Debian 13's packages come from: the host's own apt sources with the suite names swapped,
// so that a mirror, proxy or snapshot chosen for this host serves the stack too, and no package
// host is named in the project. Pure: text in, text out. Both formats of apt are read (one-line
// and deb822), only deb822 is written. Entries that are no Debian suite (Ubuntu's, vendors') fall
// away here; a vendor that calls its suite "bookworm" is stopped later, by the pin on the origin
// that the archive signs (PREFERENCES).

const RELEASE = 'trixie'
const SUITES = ['main', 'updates', 'security'] as const
type SuiteKind = (typeof SUITES)[number]

const DEBIAN_RELEASES = new Set([
  'buster',
  'bullseye',
  'bookworm',
  'trixie',
  'forky',
  'duke',
  'sid',
  'oldoldstable',
  'oldstable',
  'stable',
  'testing',
  'unstable',
])

/** Copied from the host's entry; all else (architectures, trusted, ...) is left to the defaults. */
const PRESERVED_OPTIONS = new Map([
  ['signed-by', 'Signed-By'],
  ['check-valid-until', 'Check-Valid-Until'],
  ['valid-until-min', 'Valid-Until-Min'],
  ['valid-until-max', 'Valid-Until-Max'],
  ['check-date', 'Check-Date'],
])

/** Only packages whose signed release names Debian as its origin can be chosen. */
export const PREFERENCES = `Package: *
Pin: release o=Debian
Pin-Priority: 500

Package: *
Pin: release *
Pin-Priority: -1
`

export type AptEntry = {
  uris: readonly string[]
  suites: readonly string[]
  components: readonly string[]
  /** Fields of PRESERVED_OPTIONS by their deb822 names; a value may span lines (an inlined key). */
  options: ReadonlyMap<string, string>
}

/** Entries of a `*.list` file: `deb [option=value ...] uri suite component...`, one a line. */
export function parseOneLine(text: string): AptEntry[] {
  const entries: AptEntry[] = []
  for (const line of text.split('\n')) {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line)
    if (match === null) continue
    const [, bracket = '', uri = '', suite = '', components = ''] = match
    const options = new Map<string, string>()
    for (const option of words(bracket)) {
      const equals = option.indexOf('=')
      const preserved = PRESERVED_OPTIONS.get(option.slice(0, Math.max(0, equals)).toLowerCase())
      if (preserved !== undefined) options.set(preserved, option.slice(equals + 1))
    }
    entries.push({ uris: [uri], suites: [suite], components: words(components), options })
  }
  return entries
}

/** Entries of a `*.sources` file: stanzas of `Field: value`, continued by indented lines. */
export function parseDeb822(text: string): AptEntry[] {
  const entries: AptEntry[] = []
  const lines = text.split('\n').filter((line) => !line.startsWith('#'))
  for (const stanza of lines.join('\n').split(/\n[ \t]*\n/)) {
    const fields = stanzaFields(stanza)
    if (!words(fields.get('types') ?? '').includes('deb')) continue
    if (/^(no|false|off|0|without|disable)$/i.test((fields.get('enabled') ?? '').trim())) continue
    const options = new Map<string, string>()
    for (const [field, preserved] of PRESERVED_OPTIONS) {
      const value = fields.get(field)
      if (value !== undefined) options.set(preserved, value)
    }
    entries.push({
      uris: words(fields.get('uris') ?? ''),
      suites: words(fields.get('suites') ?? ''),
      components: words(fields.get('components') ?? ''),
      options,
    })
  }
  return entries
}

function stanzaFields(stanza: string): Map<string, string> {
  const fields = new Map<string, string>()
  let field = ''
  for (const line of stanza.split('\n')) {
    if (/^[ \t]/.test(line)) {
      fields.set(field, `${fields.get(field) ?? ''}\n${line}`)
      continue
    }
    const colon = line.indexOf(':')
    if (colon < 1) continue
    field = line.slice(0, colon).trim().toLowerCase()
    fields.set(field, line.slice(colon + 1).trim())
  }
  return fields
}

/**
 * Debian 13's sources in deb822 as the host's entries imply them, or undefined where none of the
 * entries is Debian's main archive.
 */
export function sourcesFromHost(entries: readonly AptEntry[]): string | undefined {
  const stanzas = new Set<string>()
  let mainArchive = false
  for (const entry of entries) {
    if (!entry.components.includes('main')) continue
    const kinds = new Set(entry.suites.map(suiteKind).filter((kind) => kind !== undefined))
    if (kinds.size === 0) continue
    mainArchive ||= kinds.has('main')
    const suites = SUITES.filter((kind) => kinds.has(kind)).map(suiteName)
    stanzas.add(stanza(entry.uris, suites, entry.options))
  }
  return mainArchive ? [...stanzas].join('\n') : undefined
}

function suiteKind(suite: string): SuiteKind | undefined {
  const match = /^([a-z]+)(-updates|-security|\/updates)?\/?$/.exec(suite)
  if (match === null || !DEBIAN_RELEASES.has(match[1] ?? '')) return undefined
  if (match[2] === undefined) return 'main'
  // Up to Debian 10 the security archive called its suites "buster/updates".
  return match[2] === '-updates' ? 'updates' : 'security'
}

function suiteName(kind: SuiteKind): string {
  return kind === 'main' ? RELEASE : `${RELEASE}-${kind}`
}

function stanza(
  uris: readonly string[],
  suites: readonly string[],
  options: ReadonlyMap<string, string>,
): string {
  const lines = [
    'Types: deb',
    `URIs: ${uris.join(' ')}`,
    `Suites: ${suites.join(' ')}`,
    'Components: main',
    ...[...options].map(([field, value]) => `${field}: ${value}`),
  ]
  return `${lines.join('\n')}\n`
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
