/**
 * What a program can check of the project's style. Each test lists every offence, so that one run tells
 * all there is to mend. Exceptions stand in one table each, with the reason beside them.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { SyntaxKind } from 'typescript/unstable/ast'
import {
  isBindingElement,
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
} from 'typescript/unstable/ast/is'
import {
  isFunction,
  lineOf,
  listFiles,
  nodesOf,
  offences,
  ROOT,
  readSources,
  readText,
  type Source,
  startOf,
  targetOf,
  textOf,
} from './support/sources.ts'

const FILES = listFiles()
const SOURCES = readSources()
const PRODUCT = SOURCES.filter(({ path }) => !path.startsWith('test/'))
const SQL = FILES.filter((path) => path.endsWith('.sql'))

const TOP_FOLDERS = [
  '.ci',
  'api',
  'deploy',
  'examples',
  'proto',
  'sql',
  'streams',
  'test',
  'workers',
]
const TOP_FILES = [
  '.editorconfig',
  '.gitattributes',
  '.gitignore',
  '.npmrc',
  'LICENSE',
  'README.md',
  'biome.json',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
]

/** What each folder may import of the project's own, besides itself. */
const DIRECTIONS: Record<string, readonly string[]> = {
  proto: [],
  sql: [],
  streams: ['proto'],
  workers: ['streams', 'sql'],
  api: ['streams', 'sql', 'proto'],
  deploy: ['streams', 'sql', 'workers', 'api', 'proto'],
  test: ['streams', 'sql', 'workers', 'api', 'proto', 'deploy'],
}
/** Entry files, which take their configuration, log and shutdown from deploy. */
const ENTRIES = ['api/main.ts', 'workers/main.ts']

/** Packages that one file alone may import; tests may, to judge it from outside. */
const SOLE_IMPORTERS: [RegExp, string][] = [
  [/^@nats-io\//, 'streams/jetstream.ts'],
  [/^bullmq$/, 'streams/bullmq.ts'],
]

const BANNED_FILE_WORDS = new Set(
  'data info item items manager handler service helper helpers util utils process misc common shared types index lib'.split(
    ' ',
  ),
)
const BANNED_WORDS = new Set(
  'data info item items manager handler service helper helpers util utils misc'.split(' '),
)
const BANNED_NAMES = new Set(['amount', 'address', 'process'])
/** `path name`: why the name is not ours to choose. */
const NAMES_FROM_ELSEWHERE: Record<string, string> = {
  'api/graphql/shapes.ts items': 'the keyword of JSON Schema',
  'api/json.ts items': 'the keyword of JSON Schema',
  'api/parameters.ts items': 'the keyword of JSON Schema',
  'api/feed/swap-stream.ts GetStreamInfo': 'a call of swap_stream.proto',
  'deploy/fault.ts address': "a field of Node's connection errors",
  'streams/jetstream.ts manager': 'the word of the NATS client: JetStreamManager',
  'workers/pool/store.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/verify.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/verify-ledger.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/verify-ranking.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/ledger/background.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/ledger/replay.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/names.ts address': 'the column of the dictionaries, token and wallet alike',
  'streams/log.ts info': "the shape of pino's logger",
}

/** Edges within folders that are pure otherwise: they read, write or wait. */
const STREAM_EDGES = [
  'balances',
  'batcher',
  'bullmq',
  'ingest',
  'jetstream',
  'json-rpc',
  'mint-provider',
  'ndjson',
  'publisher',
  'replay',
  'topology',
]
const PURE_FILES = new Set([
  'api/exact-json.ts',
  'api/feed/batch.ts',
  'api/feed/close.ts',
  'api/feed/ring.ts',
  'api/feed/timing.ts',
  'api/feed/turns.ts',
  'api/feed/filter.ts',
  'api/feed/filter-lookup.ts',
  'api/feed/swap-frames.ts',
  'api/gateway/key-format.ts',
  'api/graphql/int64.ts',
  'api/graphql/limits.ts',
  'api/graphql/shapes.ts',
  'api/pnl/performance.ts',
  'api/pnl/risk.ts',
  'api/tokens/early-buyers.ts',
  'api/tokens/risk.ts',
  'deploy/arguments.ts',
  'deploy/fault.ts',
  'deploy/wording.ts',
])
const IMPURE_PACKAGES =
  /^(node:(fs|net|http|https|http2|child_process|timers|dns|os|process|worker_threads)|pg|pino|ioredis|koa)(\/|$)/
const IMPURE_CALLS =
  /^(Date\.now|Math\.random|performance\.now|process\..*|setTimeout|setInterval|setImmediate|fetch)$/

const FILE_LINES_MAX = 400
const FUNCTION_LINES_MAX = 70
const HEADER_LINES = { min: 1, max: 8 }

function isPure(path: string): boolean {
  if (PURE_FILES.has(path)) return true
  if (!path.startsWith('streams/')) return false
  return !STREAM_EDGES.includes(path.slice('streams/'.length, -'.ts'.length))
}

function topOf(path: string): string {
  return path.split('/')[0] ?? ''
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}

test('the top level holds what the style names and nothing else', (t) => {
  const allowed = new Set([...TOP_FOLDERS, ...TOP_FILES])
  t.deepEqual(
    [...new Set(FILES.map(topOf))].filter((name) => !allowed.has(name)),
    [],
  )
})

test('files are named in kebab-case without words that say nothing', (t) => {
  const isNamedWell = (path: string): boolean => {
    const name = path.split('/').at(-1) ?? ''
    if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.ts$/.test(name)) return false
    return !path
      .slice(0, -'.ts'.length)
      .split(/[/.-]/)
      .some((word) => BANNED_FILE_WORDS.has(word))
  }
  t.deepEqual(
    SOURCES.map(({ path }) => path).filter((path) => !isNamedWell(path)),
    [],
  )
})

test('folders import only in the agreed directions', (t) => {
  const wrong = SOURCES.flatMap(({ path, imports }) =>
    imports
      .map((each) => targetOf(each, path))
      .filter((target) => target !== undefined)
      .filter((target) => target.endsWith('.ts') && !mayImport(path, target))
      .map((target) => `${path} imports ${target}`),
  )
  t.deepEqual(wrong, [])
})

function mayImport(path: string, target: string): boolean {
  const from = topOf(path)
  const to = topOf(target)
  if (path.startsWith('deploy/local/')) return target.startsWith('deploy/local/')
  if (to === 'deploy' && ENTRIES.includes(path)) return true
  const actorOf = (file: string): string | undefined => /^workers\/([^/]+)\//.exec(file)?.[1]
  const isSibling = actorOf(path) !== undefined && actorOf(target) !== undefined
  if (isSibling && actorOf(path) !== actorOf(target)) return false
  return from === to || (DIRECTIONS[from] ?? []).includes(to)
}

test('one file alone imports each client library', (t) => {
  const wrong = PRODUCT.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier }) =>
      SOLE_IMPORTERS.filter(([name, sole]) => name.test(specifier) && path !== sole).map(
        ([, sole]) => `${path} imports ${specifier}: only ${sole} may`,
      ),
    ),
  )
  t.deepEqual(wrong, [])
})

test('names say what a thing is', (t) => {
  const wrong = offences(SOURCES, function* ({ path, tree }) {
    for (const node of nodesOf(tree)) {
      const name = declaredName(node)
      if (name === undefined) continue
      const isBanned =
        BANNED_NAMES.has(name) || wordsOf(name).some((word) => BANNED_WORDS.has(word))
      if (isBanned && NAMES_FROM_ELSEWHERE[`${path} ${name}`] === undefined) {
        yield { at: node.pos, what: `declares "${name}"` }
      }
    }
  })
  t.deepEqual(wrong, [])
})

const DECLARATIONS = new Set<SyntaxKind>([
  SyntaxKind.VariableDeclaration,
  SyntaxKind.Parameter,
  SyntaxKind.BindingElement,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.ClassDeclaration,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.PropertySignature,
  SyntaxKind.MethodSignature,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeParameter,
])

/** The name that a declaration brings in; what it takes apart under its given name is not its choice. */
function declaredName(node: Parameters<typeof textOf>[0]): string | undefined {
  if (!DECLARATIONS.has(node.kind)) return undefined
  const { name } = node as unknown as { name?: Parameters<typeof textOf>[0] }
  if (name === undefined || !isIdentifier(name)) return undefined
  if (isBindingElement(node) && node.propertyName === undefined) return undefined
  return name.text
}

test('the environment is read in one file', (t) => {
  const readers = SOURCES.filter(
    ({ path }) => path !== 'deploy/config.ts' && !path.startsWith('test/support/'),
  )
  const wrong = offences(readers, function* ({ tree }) {
    for (const node of nodesOf(tree)) {
      if (isPropertyAccessExpression(node) && textOf(node, tree) === 'process.env') {
        yield { at: startOf(node, tree), what: 'reads the environment' }
      }
    }
  })
  t.deepEqual(wrong, [])
})

const TEXT_KINDS = new Set<SyntaxKind>([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
])

/** Texts that the program holds, those of imports aside. */
function* textsOf({ tree }: Source): Generator<{ at: number; text: string }> {
  for (const node of nodesOf(tree)) {
    const { parent } = node
    const isImport =
      parent && [SyntaxKind.ImportDeclaration, SyntaxKind.ExportDeclaration].includes(parent.kind)
    if (!TEXT_KINDS.has(node.kind) || isImport) continue
    yield { at: startOf(node, tree), text: (node as unknown as { text: string }).text }
  }
}

test('subjects are built in one file', (t) => {
  const others = PRODUCT.filter(({ path }) => path !== 'streams/subject.ts')
  const wrong = offences(others, function* (source) {
    for (const { at, text } of textsOf(source)) {
      if (/(^|\.)(swap|feed)\.(?!ts\b)/.test(text)) yield { at, what: `subject "${text}"` }
    }
  })
  t.deepEqual(wrong, [])
})

test('statements stand in SQL files', (t) => {
  const wrong = offences(PRODUCT, function* (source) {
    for (const { at, text } of textsOf(source)) {
      if (
        /^\s*(select|insert into|update \w+ set|delete from|create table|alter|drop)\s/i.test(text)
      ) {
        yield { at, what: `statement "${text.slice(0, 40)}"` }
      }
    }
  })
  t.deepEqual(wrong, [])
})

test('a file has at most 400 lines, a function 70', (t) => {
  const longFiles = [...SOURCES.map(({ path }) => path), ...SQL]
    .map((path) => ({ path, lines: readText(path).split('\n').length - 1 }))
    .filter(({ lines }) => lines > FILE_LINES_MAX)
    .map(({ path, lines }) => `${path} has ${lines} lines`)
  const longFunctions = offences(SOURCES, function* ({ tree }) {
    for (const node of nodesOf(tree)) {
      if (!isFunction(node)) continue
      const at = startOf(node, tree)
      const lines = lineOf(node.end, tree) - lineOf(at, tree) + 1
      if (lines > FUNCTION_LINES_MAX) yield { at, what: `a function of ${lines} lines` }
    }
  })
  t.deepEqual([...longFiles, ...longFunctions], [])
})

test('pure files know no clock, chance, environment or outside world', (t) => {
  const wrong = offences(
    PRODUCT.filter(({ path }) => isPure(path)),
    function* (source) {
      yield* impureImports(source)
      yield* impureCalls(source)
    },
  )
  t.deepEqual(wrong, [])
})

function* impureImports({ path, imports }: Source): Generator<{ at: number; what: string }> {
  for (const each of imports.filter(({ isTypeOnly }) => !isTypeOnly)) {
    const target = targetOf(each, path)
    const isFine = target === undefined ? !IMPURE_PACKAGES.test(each.specifier) : isPure(target)
    if (!isFine) yield { at: 0, what: `imports ${each.specifier}` }
  }
}

function* impureCalls({ tree }: Source): Generator<{ at: number; what: string }> {
  for (const node of nodesOf(tree)) {
    const at = startOf(node, tree)
    if (node.kind === SyntaxKind.AsyncKeyword) yield { at, what: 'is async' }
    if (isCallExpression(node) && IMPURE_CALLS.test(textOf(node.expression, tree))) {
      yield { at, what: `calls ${textOf(node.expression, tree)}` }
    }
    if (isNewExpression(node) && textOf(node, tree) === 'new Date()')
      yield { at, what: 'reads the clock' }
  }
}

test('a TypeScript file opens with what it is', (t) => {
  const wrong = SOURCES.map(({ path, text }) => ({ path, lines: headerLines(text) }))
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

test('nothing is exported by default', (t) => {
  const wrong = offences(PRODUCT, function* ({ tree }) {
    for (const node of nodesOf(tree)) {
      const isDefault =
        node.kind === SyntaxKind.ExportAssignment || node.kind === SyntaxKind.DefaultKeyword
      const isOfSwitch = node.parent?.kind === SyntaxKind.DefaultClause
      if (isDefault && !isOfSwitch) yield { at: startOf(node, tree), what: 'exports by default' }
    }
  })
  t.deepEqual(wrong, [])
})

test('the folders of test/ mirror those of the project', (t) => {
  const own = ['bench', 'simulation', 'support']
  const wrong = SOURCES.map(({ path }) => path.split('/').slice(1, -1).join('/'))
    .filter((_, index) => SOURCES[index]?.path.startsWith('test/'))
    .filter((folder) => !own.includes(topOf(folder)) && !existsSync(join(ROOT, folder)))
  t.deepEqual([...new Set(wrong)], [])
})
