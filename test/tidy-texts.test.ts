/**
 * Checks of the project's style by texts and names only: left-overs, foreign names, dependencies, SQL, locations of
 * files and their headers. Each test lists every offence, so that one run reports all. Exceptions are in one table
 * each, with the reason alongside them.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { parseStatements } from '../sql/statements/named.ts'
import { danglingLinks } from './docs/heading-links.ts'
import { isTypeScript, listFiles, ROOT, readText } from './support/sources.ts'

const FILES = listFiles()
const SOURCES = FILES.filter(isTypeScript)
const SQL = FILES.filter((path) => path.endsWith('.sql'))

const TOP_FOLDERS = [
  '.ci',
  '.github',
  'api',
  'bench',
  'chain',
  'clients',
  'deploy',
  'docs',
  'domain',
  'examples',
  'history',
  'lake',
  'proto',
  'sql',
  'streams',
  'test',
  'web',
  'workers',
]
const TOP_FILES = [
  '.editorconfig',
  '.gitattributes',
  '.gitignore',
  '.npmrc',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'interface.txt',
  'biome.json',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
]

const BANNED_FILE_WORDS = new Set(
  'data info item items manager handler service helper helpers util utils process misc common shared types lib'.split(
    ' ',
  ),
)
const FILE_LINES_MAX = 400
/** Types of the answers, as many lines as the answers have fields. */
const GENERATED = ['web/client/answers.ts', 'clients/typescript/generated.ts']
const HEADER_LINES = { min: 1, max: 8 }

function topOf(path: string): string {
  return path.split('/')[0] ?? ''
}

test('no file has left-overs or gags', (t) => {
  // In pieces, so that this file does not find itself.
  const banned = new RegExp(
    [
      '\\bTO',
      'DO\\b|\\bFIX',
      'ME\\b|\\bas a',
      'ny\\b|@ts-(ig',
      'nore|no',
      'check)|biome-ig',
      'nore',
    ].join(''),
  )
  const leftOvers = FILES.filter((path) => /\.(tsx?|sql|sh|ya?ml)$/.test(path)).flatMap((path) =>
    linesOf(path)
      .filter(({ line }) => banned.test(line))
      .map(({ number, line }) => `${path}:${number} ${line.trim()}`),
  )
  t.deepEqual(leftOvers, [])
})

function linesOf(path: string): { number: number; line: string }[] {
  return readText(path)
    .split('\n')
    .map((line, index) => ({ number: index + 1, line }))
}

test('no file names a folder of one machine or a host of packages', (t) => {
  const banned =
    /(?<![\w.])\/([w]ork|[f]arm|[r]oot|[h]ome\/\w+)\/|\b(?<!pod-)(registry|mirror|deb|security|archive|ftp)\.(?!example)[a-z0-9-]+\.(org|com|net|io)\b/
  const wrong = FILES.filter((path) =>
    /\.(tsx?|sql|md|json|ya?ml|sh)$|^[^.]*$|ignore$|rc$/.test(path),
  ).flatMap((path) =>
    linesOf(path)
      .filter(({ line }) => banned.test(line))
      .map(({ number, line }) => `${path}:${number} ${line.trim()}`),
  )
  t.deepEqual(wrong, [])
})

test('dependencies are pinned and the lock file names no host', (t) => {
  const { dependencies, devDependencies } = JSON.parse(readText('package.json'))
  const loose = Object.entries<string>({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-r\.\d+)?$/.test(version))
    .map(([name]) => name)
  t.deepEqual(loose, [])
  t.notRegex(readText('package-lock.json'), /"resolved": "(?!clients\/)/)
})

const SQL_NAMES: [folder: string, name: RegExp, form: string][] = [
  ['sql/queries/', /^[a-z]+(-[a-z]+)*\.sql$/, '<topic>'],
  ['sql/migrations/', /^\d{4}_[a-z]+(_[a-z]+)*\.sql$/, 'NNNN_<what>'],
  ['sql/functions/', /^[a-z]+(_[a-z]+)*\.sql$/, '<subject>'],
  ['sql/fragments/', /^[a-z]+(_[a-z]+)*\.sql$/, '<what>'],
]

test('SQL files are lower case, and each statement has a header and is one', (t) => {
  const wrong = SQL.flatMap((path) => {
    const text = readText(path)
    const isQuery = path.startsWith('sql/queries/')
    const parts = isQuery ? parseStatements(path, text) : [{ name: path, text }]
    const name = path.slice(path.indexOf('/', 4) + 1)
    // Comments, texts and quoted names may hold capitals.
    const bare = (sql: string) => sql.replaceAll(/--.*|'(?:[^']|'')*'|"[^"]*"/g, '')
    const [, pattern, form] = SQL_NAMES.find(([folder]) => path.startsWith(folder)) ?? []
    return [
      pattern?.test(name) ? '' : `${path} is not named ${form}.sql`,
      /[A-Z]/.test(bare(text)) ? `${path} is not lower case` : '',
      ...parts.map((part) => (part.text.startsWith('-- ') ? '' : `${part.name} has no header`)),
      ...parts
        .filter((part) => isQuery && /;\s*\S/.test(bare(part.text)))
        .map((part) => `${part.name} is several statements`),
    ].filter(Boolean)
  })
  t.deepEqual(wrong, [])
})

test('a file has at most 400 lines', (t) => {
  const longFiles = [...SOURCES, ...SQL]
    .filter((path) => !GENERATED.includes(path))
    .map((path) => ({ path, lines: linesOf(path).length - 1 }))
    .filter(({ lines }) => lines > FILE_LINES_MAX)
    .map(({ path, lines }) => `${path} has ${lines} lines`)
  t.deepEqual(longFiles, [])
})

test('the top level holds only the files and folders that the style names', (t) => {
  const allowed = new Set([...TOP_FOLDERS, ...TOP_FILES])
  t.deepEqual(
    [...new Set(FILES.map(topOf))].filter((name) => !allowed.has(name)),
    [],
  )
})

test('the license file is the license that package.json names, with its owner', (t) => {
  t.is(JSON.parse(readText('package.json')).license, 'Apache-2.0')
  const license = readText('LICENSE')
  t.regex(license, /^\s*Apache License\n\s*Version 2\.0, January 2004\n/)
  t.regex(license, /END OF TERMS AND CONDITIONS/)
  t.regex(license, /^ {3}Copyright \d{4} Swaptide authors$/m)
  t.notRegex(license, /\[yyyy\]|\[name of copyright owner\]/)
})

test('files are named in kebab-case without empty words', (t) => {
  const isNamedWell = (path: string): boolean => {
    const name = path.split('/').at(-1) ?? ''
    if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.tsx?$/.test(name) || name === 'index.ts') return false
    return !path
      .replace(/\.tsx?$/, '')
      .split(/[/.-]/)
      .some((word) => BANNED_FILE_WORDS.has(word))
  }
  t.deepEqual(
    SOURCES.filter((path) => !isNamedWell(path)),
    [],
  )
})

test('a TypeScript file opens with a header', (t) => {
  const wrong = SOURCES.map((path) => ({ path, lines: headerLines(readText(path)) }))
    .filter(({ lines }) => lines < HEADER_LINES.min || lines > HEADER_LINES.max)
    .map(({ path, lines }) => `${path} opens with ${lines} lines of comment`)
  t.deepEqual(wrong, [])
})

/** Lines of the first comment, its marks and empty ones aside. */
function headerLines(text: string): number {
  const block = /^\/\*\*?([\s\S]*?)\*\//.exec(text)?.[1]
  const lines = /^(?:\/\/.*\n)+/.exec(text)?.[0]
  return (block ?? lines ?? '').split('\n').filter((line) => /[a-z]/i.test(line)).length
}

test('the folders of test/ mirror those of the project', (t) => {
  const own = ['simulation', 'drill', 'support']
  const wrong = SOURCES.filter((path) => path.startsWith('test/'))
    .map((path) => path.split('/').slice(1, -1).join('/'))
    .filter((folder) => !own.includes(topOf(folder)) && !existsSync(join(ROOT, folder)))
  t.deepEqual([...new Set(wrong)], [])
})

/** Pages that send a reader into the tree. */
const GUIDES = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/sources.md']

test('every file and folder that a guide names exists', (t) => {
  const missing = GUIDES.flatMap((guide) =>
    linesOf(guide).flatMap(({ number, line }) => {
      // In a table a file may be listed next to its folder.
      const [, folder = ''] = /^\| [^|]*\| `([a-z-]+(?:\/[a-z-]+)*\/)` \| `/.exec(line) ?? []
      const paths = Array.from(
        line.matchAll(/`((?:[a-z-]+\/)*[a-z-]+(?:\/|(?:\.test)?\.ts|\.md))`/g),
        ([, path = '']) => path,
      )
      return paths
        .filter((path) => path.includes('/') || folder !== '')
        .filter((path) => ![path, folder + path].some((each) => existsSync(join(ROOT, each))))
        .map((path) => `${guide}:${number} ${path}`)
    }),
  )
  t.deepEqual(missing, [])
})

/** Files of texts, which may link documents; recorded data is none. */
const TEXTS = FILES.filter(
  (path) =>
    !path.startsWith('test/data/') &&
    /\.(?:[cm]?[jt]sx?|sql|md|ya?ml|json|proto|graphql|css|html|sh|conf|service|timer|target)$/.test(
      path,
    ),
)

test('every link to a heading of a document resolves', (t) => {
  const texts = TEXTS.map((path) => ({ path, text: readText(path) }))
  const pageText = (path: string) => (existsSync(join(ROOT, path)) ? readText(path) : undefined)
  t.deepEqual(danglingLinks(texts, pageText), [])
})

test('finds a link to a heading or a document that does not exist', (t) => {
  const page = '# Fees\n\n## A fee, `fee_bps`\n\n```\n# Code\n```\n\n## Again\n\n## Again\n'
  const pageText = (path: string) => (path === 'docs/fees.md' ? page : undefined)
  const dangling = (path: string, text: string) => danglingLinks([{ path, text }], pageText)
  const fromRoot = (heading: string, name = 'fees') => `docs/${name}.md#${heading}`
  const fromFolder = (heading: string, name = 'fees.md') => `[see](${name}#${heading})`
  for (const heading of ['fees', 'a-fee-fee_bps', 'again', 'again-1']) {
    t.deepEqual(dangling('api/fee.ts', `/** The fee (${fromRoot(heading)}). */`), [])
    t.deepEqual(dangling('sql/fee.sql', `-- The fee: ${fromRoot(heading)}.`), [])
    t.deepEqual(dangling('docs/rest.md', fromFolder(heading)), [])
    t.deepEqual(dangling('docs/operations/fee.md', fromFolder(heading, '../fees.md')), [])
    t.deepEqual(dangling('docs/fees.md', fromFolder(heading, '')), [])
  }
  // A line of code is no heading, and there is no third of these.
  for (const heading of ['gone', 'code', 'again-2', 'Fees']) {
    const found = `links ${fromRoot(heading)}`
    t.deepEqual(dangling('api/fee.ts', `// ${fromRoot(heading)}`), [`api/fee.ts ${found}`])
    t.deepEqual(dangling('docs/fees.md', fromFolder(heading, '')), [`docs/fees.md ${found}`])
    t.deepEqual(dangling('docs/a/b.md', fromFolder(heading, '../fees.md')), [
      `docs/a/b.md ${found}`,
    ])
    t.deepEqual(dangling('README.md', `\`${fromRoot(heading)}\``), [`README.md ${found}`])
  }
  t.deepEqual(dangling('sql/fee.sql', `-- ${fromRoot('fees', 'gone')}`), [
    `sql/fee.sql links ${fromRoot('fees', 'gone')}`,
  ])
  // Pages of others.
  t.deepEqual(dangling('docs/rest.md', fromFolder('fees', 'https://example.com/docs/gone.md')), [])
  t.deepEqual(dangling('api/fee.ts', `// https://example.com/${fromRoot('gone')}`), [])
})

test('a comment names a rule of the figures by the link to its heading', (t) => {
  const numbered = TEXTS.filter((path) => path !== 'test/tidy-texts.test.ts').flatMap((path) =>
    Array.from(
      readText(path).matchAll(
        /\(semantics(?!\.md)\b|\bsection \d[\d.]* of the semantics|semantics[^.]{0,20}\bsection \d/g,
      ),
      ([found]) => `${path} ${found}`,
    ),
  )
  t.deepEqual(numbered, [])
})

/** Milliseconds: a machine that is loaded, or stalls for seconds, must not fail a test. */
const WAIT_MS_MIN = 60_000
/** Milliseconds: the least limit of a file, at which its last output is printed. */
const TEST_MS_MIN = 5 * 60_000
const WAITS =
  /\b(?:until(?:(?:Ledger|Ranking)?CaughtUp|Closed|Said|Frozen)?|holdsWithin|remainingAfter)\(\s*(?:(?:'[^'\n]*'|`[^`\n]*`|\w+),\s*)?(\d[\d_]*)\s*[,)]|\bconst \w*BOUND_MS = (\d[\d_]*)$/gm

test('no test waits less than a minute for an event', (t) => {
  const hasty = SOURCES.filter((path) => /^test\//.test(path)).flatMap((path) =>
    [...readText(path).matchAll(WAITS)]
      .filter(([, bound = '', named = '']) => {
        return Number((bound || named).replaceAll('_', '')) < WAIT_MS_MIN
      })
      .map(([found]) => `${path} ${found}`),
  )
  t.deepEqual(hasty, [])
})

test('no test limits its own time to less than that of its file', (t) => {
  const limited = SOURCES.filter((path) => /^test\//.test(path)).flatMap((path) =>
    [...readText(path).matchAll(/\bt\.timeout\((\d[\d_]*)\)/g)]
      .filter(([, ms = '']) => Number(ms.replaceAll('_', '')) < TEST_MS_MIN)
      .map(([found]) => `${path} ${found}`),
  )
  t.deepEqual(limited, [])
})

/** The choice of a port. */
const CHOOSE_PORTS = ['test/support/servers/own-port.ts']

test('a test starts servers on ports that no other test gets', (t) => {
  const chosen = SOURCES.filter((path) => /^test\//.test(path)).filter((path) =>
    /^import \{[^}]*\b(freePort|isFree)\b[^}]*\} from/m.test(readText(path)),
  )
  t.deepEqual(chosen, CHOOSE_PORTS)
})

/** Nouns that a text counts. Bytes and milliseconds are left out: no text is about one. */
const COUNTED =
  'attempts blocks buys candles cells columns days deliveries events fields files gaps holders hours identities ids lamports ' +
  'lanes lines lots messages minutes nodes packages positions processes requests results returns rows sells signatures ' +
  'slots streams subscriptions swaps tokens traders trades transactions units values wallets webhooks'
/** An inserted value and a plural after it, in a template or in the text of an element; no attribute and no loop. */
const PLURAL = new RegExp(
  `(.{0,12})\\$?\\{((?:[^{}]|\\{[^{}]*\\})+)\\} (?!of )(?:[a-z]+ )?(?:${COUNTED.replaceAll(' ', '|')})\\b(?!=)`,
  'g',
)
/** Bounds, of which none is one: constants, and those that follow these words. */
const BOUND = /^[A-Z][A-Z_.\d]*$/
const BOUND_WORDS = /(?:at most|at least|more than|over|up to) $/
/** The count is never one there, or is a rate or a decimal. */
const NEVER_ONE: Record<string, string> = {
  'api/feed/filter.ts': 'a constant, and a count over it',
  'api/feed/latest/filter.ts': 'a count over a constant',
  'api/graphql/limits.ts': 'counts over constants',
  'api/resources/candles/candle-lines.ts': 'columns of a candle',
  'api/resources/candles/read.ts': 'a count over a constant',
  'api/resources/search/read.ts': 'one swap has a text of its own',
  'api/routing/body.ts': 'bounds of a list',
  'api/routing/parameters.ts': 'bounds of a list',
  'api/routing/reading/date-range.ts': 'a count over a bound',
  'deploy/chain/check/geyser.ts': 'a rate',
  'deploy/chain/check/rpc.ts': 'a decimal, and the slots that are listed',
  'deploy/ingest/ingest-car.ts': 'a rate',
  'deploy/commands/simulate.ts': 'a rate',
  'deploy/ingest/ingest-files.ts': 'a rate',
  'deploy/local/packages/prefix.ts': 'the packages of three servers',
  'deploy/processes/listening.ts': 'the processes of an installation',
  'sql/migrate.ts': 'a constant',
  'web/console/pages/sources/columns.tsx': 'rates',
  'web/leaderboard/ranks.tsx': 'behind the first page',
  'web/market/price-line.tsx': 'fewer have a text of their own',
  'web/screener/results.tsx': 'behind the first page',
  'web/wallet/tags.tsx': 'settings of tags',
  'workers/ledger/replay.ts': 'an id',
  'workers/verify/ranking.ts': 'compared, and hashed as it was',
}

test('a noun agrees with the count before it', (t) => {
  const product = SOURCES.filter((path) =>
    /^(api|chain|deploy|domain|history|lake|sql|streams|web|workers)\//.test(path),
  )
  const wrong = product.flatMap((path) =>
    Array.from(readText(path).matchAll(PLURAL))
      .filter(([, before = '', count = '']) => !BOUND.test(count) && !BOUND_WORDS.test(before))
      .map(([found]) => `${path} ${found}`),
  )
  const isNeverOne = (found: string) => NEVER_ONE[found.split(' ')[0] ?? ''] !== undefined
  t.deepEqual(
    wrong.filter((found) => !isNeverOne(found)),
    [],
  )
  const used = new Set(wrong.map((found) => found.split(' ')[0]))
  t.deepEqual(
    Object.keys(NEVER_ONE).filter((path) => !used.has(path)),
    [],
  )
})
