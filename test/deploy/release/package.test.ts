/**
 * A package made by `npm pack` in a copy of the tree, unpacked where npm would put it, with the packages that it
 * declares and no other: what it holds, and `swaptide up` from it.
 */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { FILES } from '../../../api/openapi/router.ts'
import { PAGE_PATHS } from '../../../api/pages/shell.ts'
import { patientAnswer } from '../../support/api/patient-answer.ts'
import { installPackage, link, makePackage, manifestOf } from '../../support/deploy/package.ts'
import { homeSettings, startUp } from '../../support/deploy/started-up.ts'
import { finished, settingsOf, startCommand } from '../../support/programs/commands.ts'
import { Copy } from '../../support/recipes/copy.ts'
import { testRedis } from '../../support/servers/redis.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'
import { ROOT } from '../../support/sources.ts'
import { openPipeline } from '../../support/workers/pipeline.ts'

/** A package that grows past these holds something that it should not. */
const BYTES_MAX = 12_000_000
const ARCHIVE_BYTES_MAX = 4_000_000

let copy: Copy
/** Folder of the unpacked package. */
let root: string

test.before('make the package', (t) => {
  copy = new Copy()
  const before = readFileSync(join(copy.root, 'package.json'), 'utf8')
  const archive = makePackage(copy.root)
  t.is(readFileSync(join(copy.root, 'package.json'), 'utf8'), before)
  t.false(existsSync(join(copy.root, 'dist')))
  t.true(statSync(archive).size < ARCHIVE_BYTES_MAX)
  root = installPackage(archive, join(dirname(copy.root), 'user'))
})

test.after.always('remove the copy', () => copy.remove())

test('holds the program, and nothing of the tests, the benchmark or the clients', (t) => {
  const paths = globSync('**/*', { cwd: root }).filter((path) =>
    statSync(join(root, path)).isFile(),
  )
  const top = new Set(paths.map((path) => path.split('/').slice(0, 2).join('/')))
  t.deepEqual([...top].sort(), [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'deploy/swaptide',
    'dist/api',
    'dist/built',
    'dist/chain',
    'dist/deploy',
    'dist/docs',
    'dist/domain',
    'dist/history',
    'dist/lake',
    'dist/package.json',
    'dist/proto',
    'dist/sql',
    'dist/streams',
    'dist/workers',
    'package.json',
  ])
  t.deepEqual(
    paths.filter((path) => /\.(?:tsx?|map)$|\btest\b/.test(path)),
    [],
  )
  const bytes = paths.reduce((sum, path) => sum + statSync(join(root, path)).size, 0)
  t.true(bytes < BYTES_MAX, `${bytes} bytes`)
})

test('each module that a module names is in the package', (t) => {
  const modules = globSync('dist/**/*.js', { cwd: root })
  t.true(modules.length > 500)
  const lacking = modules.flatMap((path) => {
    const named = readFileSync(join(root, path), 'utf8').matchAll(
      /(?:from |import |import\(|URL\()'(\.[^']+\.[jt]s)'/g,
    )
    return Array.from(named, ([, name = '']) => join(dirname(path), name)).filter(
      (each) => !existsSync(join(root, each)),
    )
  })
  t.deepEqual(
    lacking.filter((path) => !path.endsWith('api/pages/build.js')),
    [],
  )
})

test('the command runs from a link of npm, and prints its version', async (t) => {
  const { version } = manifestOf(ROOT)
  const command = join(await temporaryFolder(t), 'swaptide')
  link(join(root, 'deploy/swaptide'), command)
  const { code, stdout } = await finished(startCommand(['--version'], {}, command))
  t.is(code, 0)
  t.true(stdout.startsWith(`swaptide ${version} `), stdout)
})

test('up serves the market, all pages and the documents', async (t: ExecutionContext) => {
  const pipeline = await openPipeline(t)
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  const settings = { ...(await homeSettings(t)), ...settingsOf(pipeline, redisUrl) }
  const program = join(root, 'deploy/swaptide')
  const { url, key } = await startUp(t, settings, ['--demo', 'events'], program)
  const headers = { Accept: 'text/html', 'X-API-Key': key }
  const assets = new Set(Object.keys(FILES).map((name) => `/docs/assets/${name}`))
  for (const path of [
    ...PAGE_PATHS.map((page) => page.replace(/:\w+/, 'x')),
    '/admin',
    '/docs',
    '/graphql',
  ]) {
    const answer = await patientAnswer(url + path, headers)
    t.is(answer.status, 200, path)
    const html = await answer.text()
    for (const [, asset = ''] of html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g))
      assets.add(asset)
  }
  t.true(assets.size > 8)
  for (const path of [...assets, '/openapi.json', '/swaps?limit=1', '/docs/rest.md']) {
    const answer = await patientAnswer(url + path, { 'X-API-Key': key })
    t.is(answer.status, 200, path)
    t.true((await answer.arrayBuffer()).byteLength > 0, path)
  }
})
