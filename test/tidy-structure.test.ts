/**
 * The structure of the project as a test: no circle of imports, a declared order of the folders inside each top
 * folder, and folders small enough to read. Each test lists every violation. docs/architecture.md draws the order.
 */
import test from 'ava'
import { isTypeScript, listFiles, readText, targetOf } from './support/sources.ts'

const FILES = listFiles()
/** All but the tests. */
const PRODUCT = FILES.filter((path) => isTypeScript(path) && !path.startsWith('test/'))
/** The one file by which the bench uses the support of the tests. */
const TESTS_FOR_BENCH = 'bench/test-support.ts'

/** Files beside each other in one folder. More than these and a reader no longer sees what belongs together. */
const FILES_MAX = 12
/** Folders that hold more, with the reason. */
const LARGE_FOLDERS: Record<string, string> = {
  '.': 'the files that tools expect at the top',
  docs: 'a page a subject, found by its name',
  'docs/decisions': 'a record a decision, found by its number',
  'test/data/chain/transactions': 'a recorded transaction a file, named by its signature',
}

/**
 * The rooms of each top folder from the ground up. A room imports itself and rooms before it, never one after it.
 * A name that ends in .ts or .tsx is one file; any other file that lies directly in the top folder belongs to the room ".".
 */
const ORDER: Record<string, readonly string[]> = {
  domain: ['numbers', 'text', 'time', '.', 'events', 'ledger', 'wallet'],
  streams: ['codec', 'nats', 'feed', 'ingest', 'replay', 'redis', 'jobs', 'simulator', 'sources'],
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
  sql: ['driver', 'binary', 'statements', 'query.ts', 'schema', 'history.ts', 'db.ts', '.'],
  workers: [
    'runtime',
    'pool',
    'ledger',
    'ranking',
    'rebuild',
    'verify',
    'replay',
    'jobs',
    'actors.ts',
    '.',
    'main.ts',
  ],
  api: [
    'routing',
    'http',
    'gateway',
    'examples',
    'resources',
    'admin',
    'serving',
    'feed',
    'webhooks',
    'graphql',
    'mcp',
    'openapi',
    'pages',
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
    'tuning',
    'cli',
    'ingest',
    'replay',
    'export',
    'processes',
    'chain',
    'operations',
    'backup',
    'mcp',
    'commands',
    'command-table.ts',
    'command-line.ts',
    'reference',
    'cli.ts',
  ],
  bench: [
    'measure',
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
    'pages',
    'capacity',
    'main.ts',
  ],
}

/** Our own files that a file imports, types included, as the formatter writes imports. */
function importsOf(path: string): string[] {
  const specifiers = readText(path).matchAll(/\b(?:from |import |import\()'(\.[^']+\.tsx?)'/g)
  return Array.from(specifiers, ([, specifier = '']) => targetOf({ specifier }, path) ?? '')
}

const IMPORTS = new Map(PRODUCT.map((path) => [path, importsOf(path)]))

test('no file imports itself by way of others, types included', (t) => {
  t.deepEqual(circles(), [])
})

/** Circles by depth-first search: each as the files from where it closes. */
function circles(): string[] {
  const done = new Set<string>()
  const trail: string[] = []
  const found: string[] = []
  const visit = (path: string): void => {
    const at = trail.indexOf(path)
    if (at >= 0) found.push([...trail.slice(at), path].join(' -> '))
    if (at >= 0 || done.has(path)) return
    trail.push(path)
    for (const target of IMPORTS.get(path) ?? []) visit(target)
    trail.pop()
    done.add(path)
  }
  for (const path of PRODUCT) visit(path)
  return found
}

test('inside a top folder imports run from later rooms to earlier ones', (t) => {
  const upward = [...IMPORTS].flatMap(([path, targets]) => {
    const [top = ''] = path.split('/')
    const order = ORDER[top]
    if (order === undefined) return []
    return targets
      .filter((target) => target.startsWith(`${top}/`))
      .filter((target) => floorOf(path, top, order) < floorOf(target, top, order))
      .map((target) => `${path} imports ${target}`)
  })
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

test('every room of a top folder is listed in the order', (t) => {
  const missing = PRODUCT.filter((path) => {
    const [top = ''] = path.split('/')
    const order = ORDER[top]
    return order !== undefined && floorOf(path, top, order) < 0
  })
  t.deepEqual(missing, [])
})

function floorOf(path: string, top: string, order: readonly string[]): number {
  const [room = '', ...rest] = path.slice(top.length + 1).split('/')
  if (rest.length > 0 || order.includes(room)) return order.indexOf(room)
  return order.indexOf('.')
}

test('a folder holds at most 12 files beside each other, unless it is listed with a reason', (t) => {
  const counts = new Map<string, number>()
  for (const path of FILES) {
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.'
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const large = [...counts]
    .filter(([folder, count]) => count > FILES_MAX && !isLargeByDesign(folder))
    .map(([folder, count]) => `${folder} holds ${count} files`)
  t.deepEqual(large, [])
})

function isLargeByDesign(folder: string): boolean {
  // The folders of statements, migrations and functions hold files that are alike.
  return LARGE_FOLDERS[folder] !== undefined || folder.startsWith('sql/')
}
