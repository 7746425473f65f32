/**
 * The structure of the project as a test: no circle of imports, between files nor between the folders of one folder, a
 * declared order of the rooms, and folders small enough to read. Each test lists every violation. docs/architecture.md
 * draws the order.
 */
import test from 'ava'
import { isTypeScript, listFiles, readText, targetOf } from './support/sources.ts'

const FILES = listFiles()
/** All but the tests. */
const PRODUCT = FILES.filter((path) => isTypeScript(path) && !path.startsWith('test/'))
/** The one file by which the bench uses the support of the tests. */
const TESTS_FOR_BENCH = 'bench/test-support.ts'

/** Files next to each other in one folder. More than these and a reader no longer sees what belongs together. */
const FILES_MAX = 12
/**
 * Files that are alike and are found by their names, of which a folder may hold any number. Files of other purposes
 * alongside them are counted; folders, such as that of a venue, never are.
 */
const ALIKE: Record<string, RegExp> = {
  statements: /^sql\/(queries|fragments)\/[a-z0-9_-]+\.sql$/,
  functions: /^sql\/functions\/[a-z0-9_]+\.sql$/,
  migrations: /^sql\/migrations\/\d{4}_[a-z0-9_]+\.sql$/,
  decisions: /^docs\/decisions\/\d{4}-[a-z0-9-]+\.md$/,
  'access paths of stored swaps': /^history\/swaps\/[a-z-]+\.ts$/,
  'pages of the documents': /^docs\/[a-z0-9-]+\.md$/,
  'recorded transactions': /^test\/data\/chain\/transactions\/\w+\.json$/,
}

/**
 * The rooms of a folder from the ground up. A room imports itself and rooms before it, never one after it.
 * A name that ends in .ts or .tsx is one file; any other file that lies directly in the folder belongs to the room ".".
 */
const ORDER: Record<string, readonly string[]> = {
  domain: ['numbers', 'text', 'time', '.', 'events', 'ledger', 'market', 'wallet'],
  streams: [
    'outgoing',
    'codec',
    'nats',
    'feed',
    'ingest',
    'replay',
    'redis',
    'jobs',
    'simulator',
    'sources',
  ],
  chain: [
    'transaction',
    'forms',
    'decoder',
    'encoder',
    'venues',
    '.',
    'rpc',
    'accounts',
    'sources',
  ],
  sql: [
    'driver',
    'binary',
    'statements',
    'query.ts',
    'schema',
    'history.ts',
    'db.ts',
    '.',
    'chain',
  ],
  'history/codec': [
    'envelope.ts',
    'bytes.ts',
    'row.ts',
    'columns',
    'block.ts',
    'fit.ts',
    'postings',
  ],
  workers: [
    'runtime',
    'pool',
    'ledger',
    'ranking',
    'sandwiches',
    'rebuild',
    'verify',
    'replay',
    'jobs',
    'actors.ts',
    '.',
    'main.ts',
  ],
  api: [
    'examples',
    'routing',
    'http',
    'gateway',
    'resources',
    'admin',
    'serving',
    'feed',
    'webhooks',
    'graphql',
    'mcp',
    'openapi',
    'pages',
    'routes.ts',
    'app.ts',
    'main.ts',
    'served-text.ts',
  ],
  web: [
    'client',
    'format',
    'layout',
    'charts',
    'market',
    'token',
    'tx',
    'leaderboard',
    'screener',
    'wallet',
    'account',
    'console',
    'main.tsx',
  ],
  deploy: [
    'config',
    'config.ts',
    '.',
    'local',
    'cli',
    'ingest',
    'replay',
    'export',
    'verify',
    'processes',
    'chain',
    'operations',
    'backup',
    'mcp',
    'commands',
    'command-table.ts',
    'command-line.ts',
    'reference',
    'release',
    'cli.ts',
  ],
  bench: [
    'measure',
    'record',
    'options.ts',
    'test-support.ts',
    'market',
    'programs',
    'plain-client.ts',
    'stage.ts',
    'rest-client.ts',
    'publisher.ts',
    'measurement.ts',
    'reads',
    'feeds',
    'load',
    'pipeline',
    'growth',
    'pages',
    'capacity',
    'documents',
    'main.ts',
  ],
  'streams/simulator': ['prng.ts', 'base58-draw.ts', 'venues', 'cast', 'listing.ts', 'tape', '.'],
  'workers/runtime': [
    'backoff.ts',
    'dead-letter.ts',
    'checkpoint.ts',
    'swap-retention.ts',
    'ids',
    'feed',
    'actor.ts',
    'pacing',
    'lane',
  ],
  'workers/pool': [
    'pool-state.ts',
    'impact',
    '.',
    'arrivals',
    'publication',
    'write',
    'store.ts',
    'repair.ts',
    'retraction',
    'actor.ts',
  ],
  'workers/ranking': ['.', 'series', 'holders', 'snapshot', 'ranked', 'actor.ts'],
  'api/routing': ['error.ts', 'reading', '.'],
  'api/gateway': ['redis-scripts.ts', 'keys', 'cache', 'limits', '.'],
  'api/feed': [
    '.',
    'log',
    'least-slot.ts',
    'slot-changes.ts',
    'ahead.ts',
    'latest',
    'grpc',
    'websocket',
    'feed.ts',
  ],
}

/** Our own files that a file imports, types included, as the formatter writes imports. */
function importsOf(path: string): string[] {
  const specifiers = readText(path).matchAll(/\b(?:from |import |import\()'(\.[^']+\.tsx?)'/g)
  return Array.from(specifiers, ([, specifier = '']) => targetOf({ specifier }, path) ?? '')
}

const IMPORTS = new Map(PRODUCT.map((path) => [path, importsOf(path)]))

test('no file imports itself by way of others, types included', (t) => {
  t.deepEqual(circlesOf(IMPORTS), [])
})

/** Circles by depth-first search: each as the nodes from where it closes. */
function circlesOf(edges: ReadonlyMap<string, Iterable<string>>): string[] {
  const done = new Set<string>()
  const trail: string[] = []
  const found: string[] = []
  const visit = (node: string): void => {
    const at = trail.indexOf(node)
    if (at >= 0) found.push([...trail.slice(at), node].join(' -> '))
    if (at >= 0 || done.has(node)) return
    trail.push(node)
    for (const target of edges.get(node) ?? []) visit(target)
    trail.pop()
    done.add(node)
  }
  for (const node of edges.keys()) visit(node)
  return found
}

test('the files and folders of a folder import each other one way, types included', (t) => {
  t.deepEqual(tiesOf(IMPORTS), [])
})

test('a folder and a file or folder next to it are tied by imports of any of their files', (t) => {
  const imports = new Map([
    ['a/x/deep/1.ts', ['a/y/2.ts']],
    ['a/y/3.ts', ['a/x/4.ts', 'b/5.ts']],
    ['a/z.ts', ['a/x/4.ts']],
    ['c/p/6.ts', ['c/q/7.ts']],
    ['c/q/8.ts', ['c/r.ts']],
    ['c/r.ts', ['c/p/9.ts']],
  ])
  t.deepEqual(tiesOf(imports), [
    'a: x <-> y: a/x/deep/1.ts -> a/y/2.ts, a/y/3.ts -> a/x/4.ts',
    'c: p -> q -> r.ts -> p',
  ])
})

/**
 * The ties between the files and folders of each folder: every pair that imports each other, with the imports,
 * and longer circles. Without ties there is an order in which a reader meets nothing before it is explained.
 */
function tiesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  return [...edgesByFolder(imports)].flatMap(([folder, edges]) => {
    const pairs = [...edges].flatMap(([from, targets]) =>
      [...targets].flatMap(([to, there]) => {
        const back = from < to ? edges.get(to)?.get(from) : undefined
        return back === undefined ? [] : [`${from} <-> ${to}: ${[...there, ...back].join(', ')}`]
      }),
    )
    const names = new Map(Array.from(edges, ([from, targets]) => [from, targets.keys()]))
    const longer = circlesOf(names).filter((circle) => circle.split(' -> ').length > 3)
    return [...pairs, ...longer].map((tie) => `${folder}: ${tie}`)
  })
}

/** By folder, and by name of what imports and what is imported in it: the imports between the two. */
function edgesByFolder(imports: ReadonlyMap<string, readonly string[]>) {
  const folders = new Map<string, Map<string, Map<string, string[]>>>()
  for (const [path, targets] of imports) {
    for (const target of targets) {
      const [own, other] = [path.split('/'), target.split('/')]
      const depth = own.findIndex((name, index) => name !== other[index])
      const [from, to] = [own[depth], other[depth]]
      if (from === undefined || to === undefined) continue
      const edges = entryOf(
        folders,
        own.slice(0, depth).join('/'),
        () => new Map<string, Map<string, string[]>>(),
      )
      const targetsOf = entryOf(edges, from, () => new Map<string, string[]>())
      entryOf(targetsOf, to, () => []).push(`${path} -> ${target}`)
    }
  }
  return folders
}

function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

test('imports run from later rooms to earlier ones', (t) => {
  const upward = Object.entries(ORDER).flatMap(([folder, order]) =>
    [...IMPORTS].flatMap(([path, targets]) =>
      targets
        .filter((target) => isIn(path, folder) && isIn(target, folder))
        .filter((target) => floorOf(path, folder, order) < floorOf(target, folder, order))
        .map((target) => `${path} imports ${target}`),
    ),
  )
  t.deepEqual(upward, [])
})

test('the bench imports test support through one file', (t) => {
  const others = [...IMPORTS].flatMap(([path, targets]) =>
    targets
      .filter((target) => path.startsWith('bench/') && target.startsWith('test/'))
      .filter(() => path !== TESTS_FOR_BENCH)
      .map((target) => `${path} imports ${target}`),
  )
  t.deepEqual(others, [])
  t.true(IMPORTS.get(TESTS_FOR_BENCH)?.some((target) => target.startsWith('test/')))
})

test('every room of an ordered folder is listed, and every listed one exists', (t) => {
  const missing = Object.entries(ORDER).flatMap(([folder, order]) =>
    PRODUCT.filter((path) => isIn(path, folder) && floorOf(path, folder, order) < 0),
  )
  t.deepEqual(missing, [])
  const gone = Object.entries(ORDER).flatMap(([folder, order]) => {
    const floors = new Set(
      PRODUCT.filter((path) => isIn(path, folder)).map((path) => floorOf(path, folder, order)),
    )
    return order.filter((_, floor) => !floors.has(floor)).map((room) => `${folder}/${room}`)
  })
  t.deepEqual(gone, [])
})

const isIn = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)

function floorOf(path: string, folder: string, order: readonly string[]): number {
  const [room = '', ...rest] = path.slice(folder.length + 1).split('/')
  if (rest.length > 0 || order.includes(room)) return order.indexOf(room)
  return order.indexOf('.')
}

test('a folder holds at most 12 files next to each other, those that are alike aside', (t) => {
  t.deepEqual(largeFolders(FILES), [])
})

test('files that are alike are not counted, others alongside them are', (t) => {
  const many = (name: (index: string) => string): string[] =>
    Array.from({ length: 13 }, (_, index) => name(String(index).padStart(4, '0')))
  t.deepEqual(largeFolders(many((index) => `sql/queries/topic_${index}.sql`)), [])
  t.deepEqual(largeFolders(many((index) => `docs/decisions/${index}-a-choice.md`)), [])
  t.deepEqual(largeFolders(many((index) => `chain/venues/venue-${index}/swaps.ts`)), [])
  t.deepEqual(largeFolders(many((index) => `sql/queries/read${index}.ts`)), [
    'sql/queries holds 13 files of different purposes',
  ])
  t.deepEqual(largeFolders(many((index) => `chain/venues/table-${index}.ts`)), [
    'chain/venues holds 13 files of different purposes',
  ])
})

function largeFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const path of paths) {
    if (Object.values(ALIKE).some((kind) => kind.test(path))) continue
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.'
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > FILES_MAX)
    .map(([folder, count]) => `${folder} holds ${count} files of different purposes`)
}

test('each kind of files that are alike exists', (t) => {
  const unused = Object.entries(ALIKE)
    .filter(([, kind]) => !FILES.some((path) => kind.test(path)))
    .map(([name]) => name)
  t.deepEqual(unused, [])
})
