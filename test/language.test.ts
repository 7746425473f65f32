/**
 * Counts retired wording in comments, logs, errors, other texts and names of the product, and in comments and titles
 * of tests. The glossary is docs/glossary.md. None is allowed.
 */
import test from 'ava'
import { listFiles, readSources, readText } from './support/sources.ts'
import {
  commentsOf,
  declaredNamesOf,
  hasComments,
  sqlNamesOf,
  textsOf,
  titlesOf,
  wordlessLogsOf,
} from './support/wording.ts'

type Kind = 'logs' | 'errors' | 'texts' | 'names'
type Finding = { kind: Kind; at: string }

const FRAGMENT = /^(?:of|who|whoever|whose|what|nobody)\b/i
/** Pronouns without a noun, at the beginning of a comment: their subject is in other text, or nowhere. */
const PRONOUN =
  /^(?:its?|as|they|them|those|none|which|likewise|at (?:which|how|once|the gate)\b)(?![\w`'-])|^That (?!is\b)|^(?:these|such) (?:are|is|have|has|do|does|a|an)\b/i
/** A later sentence whose subject such a word is; a question may begin with one. */
const FRAGMENT_SENTENCE = /[.!:] (?:\*\*)?(?:Who|Whoever|What|Nobody|Somebody)\b(?![^.!]*\?)/
/** In upper case: the beginning of a text, not a part that the program puts into another one. */
const FRAGMENT_TEXT = /^(?:Of|Who|Whoever|Whose|What|Nobody)\b/

/** Words of the private vocabulary that logs, errors, help and descriptions no longer use. */
const RETIRED =
  /\b(?:in the place of|tells?|told|says?|said|hears?|heard|keeps?|kept|stands?|stood|lets? go|letting go|behind|faults?|asks?|asked|asking|who|whoever|nobody|at ease|bury|buried|announc\w*|seiz\w*|refold\w*|anew|fold(?:s|ed)? again|giving way|in step)\b/gi
/** The same words where they mean something else. */
const ALLOWED = /keep-alive|--keep-webhooks|behind (?:a|the|its) (?:reverse )?proxy|stands? for\b/gi

/**
 * Private words that comments and titles of tests no longer use. Shorter than RETIRED: `who`, `take` or `keep` have
 * legitimate uses in a sentence.
 */
const RETIRED_IN_PROSE =
  /\b(?:in the place of|tells?|told|telling|says?|said|hears?|heard|keeps|kept|stands?|stood|lets? go|letting go|let go|behind|asks?|asked|asking|whoever|nobody|somebody|anybody|anew|at ease|in step|bury|buried|verdicts?|patience|announc\w*|seiz\w*|refold(?:ed|ing)?|gather\w*|flood\w*|fold(?:s|ed)? again|giving way|g(?:oes|oing|one) on|dictionar\w*)\b/gi
/**
 * `alone` for "only", which ends a clause or precedes a preposition or conjunction. Before a verb it means "by
 * itself" (a cookie alone must never authenticate), and what is left alone is not touched.
 */
const ALONE_FOR_ONLY =
  /(?<!\b(?:left|leaves?|leaving)\b[^.;]{0,60})(?<=\w.?.? )alone\b(?=\s*(?:[.,;:)|?!]|->|$)|\s+(?:and|or|but|nor|where|that|which|when|with|without|in|of|for|as|at|by|from|to|so|until|while|if|than|since|because|on|there|then|after|before|under|unless|through|into)\b)/g
/** An old word: next to, alongside, in addition to, compared with. */
const BESIDE = /\bbeside\b/gi
/** Identifiers, quotations and placeholders. */
const QUOTED = /`[^`]*`|"[^"]*"|'[{[].*?[}\]]'|\$\{[^{}]*\}/g

const RETIRED_NAMES = new Set(
  `announce announced announcement announcements announcer announces ask asked asking asks behind board buried
  bury dictionaries dictionary fault faults flood flooded gate gated gather gathered gathering hear heard hears
  kept patience place places refold refolded refolds roll rolls seize seized seizure spacing stakes standing
  standings tell teller tells told turn turns verdict verdicts`.split(/\s+/),
)
/** Names and files in which such a word is that of a package, of the API, of SQL or of the field. */
const ALLOWED_NAMES = new Set([
  // Records are found by their first names. The other names are of the check.
  'test/language.test.ts FAULT_INJECTION',
  'test/language.test.ts isFault',
  // Bull Board, the package.
  'api/admin/board.ts board.ts',
  'api/admin/board.ts BoardRoute',
  'api/admin/board.ts boardRoutes',
  'api/admin/board.ts createBullBoard',
  'api/admin/operations.ts boardQueues',
  // The field `board` of the feed of rankings.
  'api/feed/latest/filter.ts board',
  'api/feed/latest/read.ts board',
  'web/market/movers.tsx board',
  'web/market/trending.tsx board',
  // The price at which a market maker sells.
  'streams/simulator/venues/hidden-price.ts askPrice',
])
/**
 * Names in SQL that every database has: another one is a removal, which waits for a later release (decision 0059). Where
 * such a table is read under an alias, the alias is checked.
 */
const STORED_NAMES = new Set([
  // Tables, their columns and indexes.
  'event_conflict_kept_out_slot',
  'kept_out',
  'kept_out_slot',
  'position_refold',
  'position_refold_lane',
  'ranking_roll',
  'retraction_verdict',
  'screener_roll',
  // A type and functions.
  'last_place',
  'swap_place',
  'tell_key_change',
  // Triggers: under another name, both would run.
  'api_key_tells_changes',
  'pool_event_tells_creator',
  'pool_tells_first_slot',
  'token_tells_changes',
])
/** Mechanisms of the product, which a reader searches for by these words. */
const TERMS = [
  'admission control',
  'backpressure',
  'circuit breaker',
  'exactly-once',
  'hysteresis',
  'idempotent',
  'load shedding',
  'watermark',
]
/** Tests of injected faults, which is the word of the field; elsewhere an error is an error. */
const FAULT_INJECTION =
  /^test\/(?:drill|simulation|chain\/sources|deploy\/commands\/chain|support\/(?:chain|programs|workers))\/|^test\/workers\/pool\/(?:candles|retraction\/lane-count)\.test\.ts$/
const RETIRED_PAIRS = /\b(?:at ease|in step|let go)\b/

/** The words of this file are those of the schemas, which are checked where they are written. */
const GENERATED = 'clients/typescript/generated.ts'
const FILES = listFiles()
const SOURCES = readSources().filter(({ path }) => path !== GENERATED)
const PRODUCT = SOURCES.filter(({ path }) => !path.startsWith('test/'))

type Prose = { path: string; prose: string }

const proseOf = ({ path }: Pick<Prose, 'path'>, texts: readonly string[]): Prose[] =>
  texts.map((prose) => ({ path, prose }))

/** Comments of every file, tests included. */
const COMMENTS = [
  ...SOURCES,
  ...listFiles()
    .filter((path) => hasComments(path))
    .map((path) => ({ path, text: readText(path) })),
].flatMap((source) => proseOf(source, commentsOf(source)))

function findings(): Finding[] {
  const found: Finding[] = []
  const add = (path: string, kind: Kind, what: string): void => {
    found.push({ kind, at: `${path} ${what}` })
  }
  for (const source of PRODUCT) {
    for (const { kind, text, isConstant, isBeginning } of textsOf(source)) {
      const words = text.replaceAll(ALLOWED, '').match(RETIRED) ?? []
      if (words.length > 0) add(source.path, kind, `"${words.join(', ')}" in: ${text}`)
      if (isBeginning && kind !== 'logs' && FRAGMENT_TEXT.test(text)) {
        add(source.path, kind, `fragment: ${text}`)
      }
      if (kind === 'logs' && /^[A-Z]/.test(text)) add(source.path, kind, `upper case: ${text}`)
      if (kind === 'logs' && !isConstant) add(source.path, kind, `not constant: ${text}`)
    }
    for (const call of wordlessLogsOf(source)) add(source.path, 'logs', `not constant: ${call}`)
  }
  for (const source of SOURCES) {
    for (const name of new Set(declaredNamesOf(source))) {
      if (isRetiredName(source.path, name)) add(source.path, 'names', name)
    }
  }
  for (const path of FILES) {
    const name = path.split('/').at(-1) ?? ''
    if (isRetiredName(path, name)) add(path, 'names', 'as a file name')
  }
  return found
}

function isRetiredName(path: string, name: string): boolean {
  if (ALLOWED_NAMES.has(`${path} ${name}`)) return false
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  const isFault = (word: string): boolean => /^faults?$/.test(word) && FAULT_INJECTION.test(path)
  return (
    words.some((word) => RETIRED_NAMES.has(word) && !isFault(word)) ||
    RETIRED_PAIRS.test(words.join(' '))
  )
}

test('wording of logs, errors, texts and names follows the glossary', (t) => {
  const wrong = findings().map(({ kind, at }) => `${kind}: ${at}`)
  t.is(wrong.length, 0, wrong.join('\n'))
})

const retiredInProse = (prose: string): string[] =>
  prose.replaceAll(QUOTED, '').replaceAll(ALLOWED, '').match(RETIRED_IN_PROSE) ?? []

const oldAdverbsIn = (prose: string): string[] => {
  const text = prose.replaceAll(QUOTED, '').replaceAll(/\n[\s*#/-]*/g, ' ')
  return [...(text.match(ALONE_FOR_ONLY) ?? []), ...(text.match(BESIDE) ?? [])]
}

test('comments and titles of tests use the words of the field', (t) => {
  const titles = SOURCES.flatMap((source) => proseOf(source, titlesOf(source)))
  const wrong = [...COMMENTS, ...titles]
    .map(({ path, prose }) => ({ path, prose, words: retiredInProse(prose) }))
    .filter(({ words }) => words.length > 0)
    .map(({ path, prose, words }) => `${path} "${words.join(', ')}" in: ${prose.slice(0, 80)}`)
  t.is(wrong.length, 0, wrong.join('\n'))
})

test('names in SQL use the words of the field', (t) => {
  const wrong = listFiles()
    .filter((path) => path.endsWith('.sql'))
    .flatMap((path) =>
      [...new Set(sqlNamesOf(readText(path)))]
        .filter((name) => !STORED_NAMES.has(name) && isRetiredName(path, name))
        .map((name) => `${path} ${name}`),
    )
  t.is(wrong.length, 0, wrong.join('\n'))
})

test('stored names that the schema lost are no longer allowed', (t) => {
  const stored = new Set(
    listFiles()
      .filter((path) => /^sql\/(migrations|functions)\//.test(path))
      .flatMap((path) => sqlNamesOf(readText(path))),
  )
  t.deepEqual(
    [...STORED_NAMES].filter((name) => !stored.has(name)),
    [],
  )
})

test('a name in SQL is found wherever it is chosen', (t) => {
  const text = `-- name: pool/list_places
-- Asked of a pool. $1: \`kept\`.
-- variant asc: gate = first
with asked as (select 'told', heard_ms as turn from pool_gate)
select tell_all(behind.roll) over place, {+stakes} from asked behind window place as ()`
  t.deepEqual(
    [...new Set(sqlNamesOf(text))].filter((name) => isRetiredName('sql/queries/pool.sql', name)),
    [
      'pool/list_places',
      'gate',
      'asked',
      'heard_ms',
      'turn',
      'pool_gate',
      'tell_all',
      'behind',
      'roll',
      'place',
      'stakes',
    ],
  )
})

/** Paragraphs, items and rows of the documents, without the marks before them. */
const DOCUMENTS = listFiles()
  .filter((path) => path.endsWith('.md'))
  .flatMap((path) =>
    proseOf(
      { path },
      readText(path)
        .split(/\n\s*\n|\n(?=[-|#])/)
        .map((prose) => prose.replace(/^[-|#\s]*/, '')),
    ),
  )

test('no text uses "alone" for only, or "beside"', (t) => {
  const texts = SOURCES.flatMap((source) =>
    proseOf(
      source,
      textsOf(source).map(({ text }) => text),
    ),
  )
  // Text that was released is not rewritten.
  const wrong = [...COMMENTS, ...DOCUMENTS, ...texts]
    .filter(({ path }) => path !== 'CHANGELOG.md' && !path.startsWith('sql/migrations/'))
    .filter(({ path }) => path !== 'test/language.test.ts')
    .filter(({ prose }) => oldAdverbsIn(prose).length > 0)
    .map(({ path, prose }) => `${path} ${prose.slice(0, 160)}`)
  t.is(wrong.length, 0, wrong.join('\n'))
})

test('"alone" is refused where it means only, and not where it means by itself', (t) => {
  for (const prose of [
    'Swaps of this venue alone.',
    'Messages name the host alone, and no key.',
    'operator: with the key of operators alone',
    'Reads blocks alone that no fork can replace.',
    'altered by later migrations alone and never again',
    'They run beside live workers.',
  ]) {
    t.is(oldAdverbsIn(prose).length, 1, prose)
  }
  for (const prose of [
    'A cookie alone must never authenticate.',
    'The autoscaler leaves a deployment of 0 replicas alone: start it.',
    'How long the server wants to be left alone.',
    'Besides SOL.',
    'The figure `alone`, and `beside`.',
  ]) {
    t.deepEqual(oldAdverbsIn(prose), [], prose)
  }
})

test('no sentence of a comment or a document begins with a pronoun for its subject', (t) => {
  const documents = DOCUMENTS.map(({ path, prose }) => ({ path, prose: `. ${prose}` }))
  const wrong = [...COMMENTS, ...documents]
    .map(({ path, prose }) => ({ path, prose: prose.replaceAll(/\n[\s*#/-]*/g, ' ') }))
    .filter(({ prose }) => FRAGMENT_SENTENCE.test(prose.replaceAll(QUOTED, '')))
    .map(({ path, prose }) => `${path} ${prose.slice(0, 100)}`)
  t.is(wrong.length, 0, wrong.join('\n'))
})

test('comments name what the code does by the terms of the field', (t) => {
  const comments = PRODUCT.flatMap(commentsOf).join('\n').toLowerCase()
  const absent = TERMS.filter((term) => !comments.includes(term))
  t.deepEqual(absent, [])
})

test('comments do not begin with a fragment', (t) => {
  const wrong = COMMENTS.filter(({ prose }) => FRAGMENT.test(prose)).map(
    ({ path, prose }) => `${path} ${prose.slice(0, 60)}`,
  )
  t.is(wrong.length, 0, wrong.join('\n'))
})

test('comments do not begin with a pronoun', (t) => {
  const wrong = COMMENTS.filter(({ prose }) => PRONOUN.test(prose)).map(
    ({ path, prose }) => `${path} ${prose.slice(0, 60)}`,
  )
  t.is(wrong.length, 0, wrong.join('\n'))
})

test('a pronoun at the beginning of a comment is found', (t) => {
  const refused = [
    'It begins later.',
    'Those of the path.',
    'None for a row.',
    'Which of these are stored.',
    'They differ.',
    'At which width it begins.',
    'That every swap is stored.',
    'Such a venue has two.',
    'These are read first.',
    'Likewise, of hours.',
    'Its first swap.',
    'As in a file.',
  ]
  t.deepEqual(
    refused.filter((prose) => !PRONOUN.test(prose)),
    [],
  )
  const allowed = [
    'Items of a page.',
    'These swaps follow.',
    'At most ten.',
    'Itself a list.',
    'Aspects of it.',
  ]
  t.deepEqual(
    allowed.filter((prose) => PRONOUN.test(prose)),
    [],
  )
})

test('a title of a test does not begin with a fragment', (t) => {
  const wrong = SOURCES.filter(({ path }) => path.endsWith('.test.ts')).flatMap((source) =>
    titlesOf(source)
      .filter((title) => FRAGMENT.test(title))
      .map((title) => `${source.path} ${title}`),
  )
  t.is(wrong.length, 0, wrong.join('\n'))
})
