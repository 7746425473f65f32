/**
 * Checks of the project's style by syntax trees: imports, names, purity, lengths. Each test lists every offence.
 * Exceptions are in one table each, with the reason alongside them. Checks without trees are in tidy-texts.
 */
import test from 'ava'
import { SyntaxKind } from 'typescript/unstable/ast'
import {
  isBindingElement,
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
  isStringLiteral,
} from 'typescript/unstable/ast/is'
import { parseStatements } from '../sql/statements/named.ts'
import { NAMES_FROM_ELSEWHERE } from './support/names-from-elsewhere.ts'
import {
  isFunction,
  isTypeScript,
  lineOf,
  listFiles,
  nodesOf,
  offences,
  readSources,
  readText,
  type Source,
  startOf,
  targetOf,
  textOf,
} from './support/sources.ts'

const FILES = listFiles()
const SOURCES = readSources()
const PRODUCT = SOURCES.filter(({ path }) => !/^(bench|test)\//.test(path))
const SQL = FILES.filter((path) => path.endsWith('.sql'))

/** The folders that run on a server. */
const SERVERS = ['domain', 'streams', 'chain', 'sql', 'history', 'lake', 'workers', 'api', 'proto']
/** The folders of the project that each folder may import, besides itself. */
const DIRECTIONS: Record<string, readonly string[]> = {
  domain: [],
  proto: [],
  sql: ['domain'],
  streams: ['domain', 'proto'],
  chain: ['domain', 'streams'],
  history: ['domain', 'sql'],
  lake: [],
  workers: ['domain', 'streams', 'chain', 'sql', 'history'],
  api: ['domain', 'streams', 'chain', 'sql', 'history', 'lake', 'proto'],
  web: ['domain', 'clients'],
  clients: [],
  deploy: SERVERS,
  bench: [...SERVERS, 'deploy', 'test'],
  test: [...SERVERS, 'deploy', 'bench', 'web', 'clients'],
}
/** Entry files, which take their configuration, log and shutdown from deploy. */
const ENTRIES = ['api/main.ts', 'workers/main.ts']

/** Packages that one part alone may import; tests may, to judge it from outside. */
const SOLE_IMPORTERS: [RegExp, RegExp][] = [
  [/^@nats-io\//, /^streams\/nats\/jetstream\.ts$/],
  [/^ioredis$/, /^streams\/redis\/connect\.ts$/],
  [/^bullmq$/, /^streams\/jobs\/bullmq(-[a-z]+)?\.ts$/],
]

const BANNED_WORDS = new Set(
  'data info item items manager handler service helper helpers util utils misc'.split(' '),
)
const BANNED_NAMES = new Set(['amount', 'address', 'process'])
/** Files that read, write or wait in folders that are pure otherwise. */
const EDGES = new Set([
  'streams/ingest/batcher.ts',
  'streams/ingest/columns/parquet.ts',
  'streams/ingest/reading/ndjson.ts',
  'streams/ingest/publisher.ts',
  'streams/jobs/bullmq.ts',
  'streams/jobs/bullmq-options.ts',
  'streams/jobs/bullmq-replays.ts',
  'streams/jobs/bullmq-worker.ts',
  'streams/jobs/redis.ts',
  'streams/redis/connect.ts',
  'streams/nats/backpressure.ts',
  'streams/nats/commit-failures.ts',
  'streams/nats/jetstream.ts',
  'streams/nats/micro-batch.ts',
  'streams/nats/read-ahead.ts',
  'streams/nats/replicas.ts',
  'streams/nats/topology.ts',
  'streams/replay/replay.ts',
  'chain/accounts/names-provider.ts',
  'chain/accounts/providers.ts',
  'chain/venues/generate.ts',
])
const PURE_FILES = new Set([
  'api/routing/venue-naming.ts',
  'api/feed/log/batch.ts',
  'api/feed/websocket/protocol/close.ts',
  'api/feed/feed-error.ts',
  'api/feed/frame.ts',
  'api/feed/gap.ts',
  'api/feed/log/ring.ts',
  'api/feed/websocket/protocol/timing.ts',
  'api/feed/log/reader-queue.ts',
  'api/feed/filter.ts',
  'api/feed/websocket/filter-lookup.ts',
  'api/feed/grpc/swap-frames.ts',
  'api/routing/key-format.ts',
  'api/graphql/int64.ts',
  'api/graphql/introspection.ts',
  'api/graphql/limits.ts',
  'api/graphql/shapes.ts',
  'api/resources/pnl/performance.ts',
  'api/resources/pnl/risk.ts',
  'domain/text/truncate.ts',
  'api/resources/tokens/early-buyers.ts',
  'api/resources/tokens/risk.ts',
  'api/routing/unknown-names.ts',
  'deploy/cli/arguments.ts',
  'deploy/cli/explain-error.ts',
  'deploy/cli/format.ts',
  'deploy/cli/help.ts',
  'deploy/config/parse.ts',
  'deploy/config/rules.ts',
  'deploy/config/setting.ts',
  'deploy/config/chain-settings.ts',
  'deploy/config/settings.ts',
  'deploy/config/readers.ts',
  'deploy/config/retention-settings.ts',
  'chain/sources/portal/query.ts',
  'streams/sources/source.ts',
])
/** Requests and the reading of answers, in the folders that connect to a node. */
const PURE_PARTS =
  /^chain\/(rpc\/(failure|rpc-answer)|sources\/(blocks\/(block-answer|chain-links|slot-block)|geyser\/(assembler|frames|pending-slot|request|update)))\.ts$/
const IMPURE_PACKAGES =
  /^(node:(fs|net|http|https|http2|child_process|timers|dns|os|process|worker_threads)|pg|pino|ioredis|koa)(\/|$)/
const IMPURE_CALLS =
  /^(Date\.now|Math\.random|performance\.now|process\..*|setTimeout|setInterval|setImmediate|fetch)$/

const FUNCTION_LINES_MAX = 70

function isPure(path: string): boolean {
  if (PURE_FILES.has(path) || PURE_PARTS.test(path)) return true
  if (/^(streams\/(outgoing|sources)|chain\/(sources|rpc))\//.test(path)) return false
  return /^(chain|domain|history\/codec|streams)\//.test(path) && !EDGES.has(path)
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

test('folders import only in the agreed directions', (t) => {
  const wrong = SOURCES.flatMap(({ path, imports }) =>
    imports
      .map((each) => targetOf(each, path))
      .filter((target) => target !== undefined)
      .filter((target) => isTypeScript(target) && !mayImport(path, target))
      .map((target) => `${path} imports ${target}`),
  )
  t.deepEqual(wrong, [])
})

function mayImport(path: string, target: string): boolean {
  const from = topOf(path)
  const to = topOf(target)
  if (path.startsWith('deploy/local/')) {
    return target.startsWith('deploy/local/') || target === TIME_READER
  }
  if (to === 'deploy' && ENTRIES.includes(path)) return true
  const actorOf = (file: string): string | undefined => {
    const folder = /^workers\/(?!runtime\/)[a-z-]+\//.exec(file)?.[0]
    return FILES.includes(`${folder}actor.ts`) ? folder : undefined
  }
  const isSibling = actorOf(path) !== undefined && actorOf(target) !== undefined
  if (isSibling && actorOf(path) !== actorOf(target)) return false
  return from === to || (DIRECTIONS[from] ?? []).includes(to)
}

test('one file alone imports each client library', (t) => {
  const wrong = PRODUCT.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier }) =>
      SOLE_IMPORTERS.filter(([name, sole]) => name.test(specifier) && !sole.test(path)).map(
        ([, sole]) => `${path} imports ${specifier}: only ${sole.source} may`,
      ),
    ),
  )
  t.deepEqual(wrong, [])
})

test('names contain no empty words', (t) => {
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

/** The name that a declaration introduces; names of destructured properties are not its choice. */
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
  const others = PRODUCT.filter(({ path }) => path !== 'streams/nats/subject.ts')
  const wrong = offences(others, function* (source) {
    for (const { at, text } of textsOf(source)) {
      if (/(^|\.)(swap|feed)\.(?!ts\b)/.test(text)) yield { at, what: `subject "${text}"` }
    }
  })
  t.deepEqual(wrong, [])
})

test('statements are in SQL files', (t) => {
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

test('a function has at most 70 lines', (t) => {
  const longFunctions = offences(SOURCES, function* ({ tree }) {
    for (const node of nodesOf(tree)) {
      if (!isFunction(node)) continue
      const at = startOf(node, tree)
      const lines = lineOf(node.end, tree) - lineOf(at, tree) + 1
      if (lines > FUNCTION_LINES_MAX) yield { at, what: `a function of ${lines} lines` }
    }
  })
  t.deepEqual(longFunctions, [])
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

/** The reader of times from texts: all other code gets Unix ms from it. */
const TIME_READER = 'domain/time/time.ts'

test('times are parsed in one file', (t) => {
  const wrong = offences(
    PRODUCT.filter(({ path }) => path !== TIME_READER),
    function* ({ tree }) {
      for (const node of nodesOf(tree)) {
        if (isCallExpression(node) && textOf(node.expression, tree) === 'Date.parse') {
          yield { at: startOf(node, tree), what: 'calls Date.parse' }
        }
      }
    },
  )
  t.deepEqual(wrong, [])
})

test('no file has a default export', (t) => {
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

test('no test is skipped without a reason, none is unwritten or exclusive', (t) => {
  const skips = offences(SOURCES, function* ({ tree }) {
    for (const node of nodesOf(tree)) {
      if (!isPropertyAccessExpression(node)) continue
      if (!isIdentifier(node.expression) || node.expression.text !== 'test') continue
      const at = startOf(node, tree)
      if (/^(only|todo|failing)$/.test(node.name.text)) yield { at, what: textOf(node, tree) }
      if (node.name.text !== 'skip') continue
      const holder = isCallExpression(node.parent) ? textOf(node.parent, tree) : tree.text
      if (!/skipped: \S/.test(holder))
        yield { at, what: 'skips without "skipped: <why>" in the name' }
    }
  })
  t.deepEqual(skips, [])
})

test('every statement is used by a query() and every query() has its statement', (t) => {
  const used = new Set(PRODUCT.flatMap((source) => [...queriesOf(source)]))
  const statements = SQL.filter((path) => path.startsWith('sql/queries/')).flatMap((path) =>
    parseStatements(path, readText(path)),
  )
  const unused = statements.filter(({ name }) => !used.has(name))
  const named = new Set(statements.map(({ name }) => name))
  const at = unused.map(({ name, file, line }) => `${file}:${line} ${name}`)
  t.deepEqual(at, [], 'statements that nothing uses')
  t.deepEqual([...used.difference(named)], [], 'queries without a statement')
})

const LOADERS = new Set(['query', 'variants', 'swapStatement', 'swapVariants'])
function* queriesOf({ tree }: Source): Generator<string> {
  for (const node of nodesOf(tree)) {
    if (!isCallExpression(node) || !isIdentifier(node.expression)) continue
    const [path] = node.arguments
    if (!LOADERS.has(node.expression.text)) continue
    if (path && isStringLiteral(path)) yield path.text
  }
}
