/** Programs that run in production need no development dependency: `npm ci --omit=dev` starts and serves. */
import { globSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import test from 'ava'
import { DUCK_INSTALLED_BY } from '../lake/jail/run.ts'
import { ROOT, readSources, readText } from './support/sources.ts'

const { dependencies, devDependencies, peerDependencies } = JSON.parse(
  readText('package.json'),
) as Record<'dependencies' | 'devDependencies' | 'peerDependencies', Record<string, string>>
/** Programs of their own, started where their optional package is installed. */
const WITH_OPTIONAL = /^lake\/jail\/(program|duck|values)\.ts$/

/** `@scope/name/path` -> `@scope/name` */
function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}

/** Programs of development, which production does not load. */
const DEVELOPMENT = /^(test|bench)\/|^proto\/generate\.ts$/
const RUNTIME = readSources().filter(({ path }) => !DEVELOPMENT.test(path))

test('every package that production code imports is a runtime dependency', (t) => {
  const found = RUNTIME.flatMap(({ path, imports }) =>
    imports
      .map(({ specifier }) => specifier)
      .filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier))
      .map((specifier) => ({ path, name: packageOf(specifier) })),
  )
  t.true(found.length > 20, 'imports are found')
  const absent = found
    .filter(({ path, name }) => {
      const isOptional = WITH_OPTIONAL.test(path) && Object.hasOwn(peerDependencies, name)
      return !isOptional && !Object.hasOwn(dependencies, name)
    })
    .map(({ path, name }) => `${path} imports ${name}`)
  t.deepEqual(absent, [])
})

test('the command that installs DuckDB names the version of the tests, which the package accepts', (t) => {
  const name = '@duckdb/node-api'
  t.is(peerDependencies[name], devDependencies[name])
  t.is(DUCK_INSTALLED_BY, `npm install ${name}@${devDependencies[name]}`)
  t.true(readText('docs/sql.md').includes(`$ ${DUCK_INSTALLED_BY}\n`))
})

test('no package is a runtime and a development dependency at once', (t) => {
  t.deepEqual(
    Object.keys(devDependencies).filter((name) => Object.hasOwn(dependencies, name)),
    [],
  )
})

test('the headers of Node, a fifth of all packages, are removed: no add-on is compiled', (t) => {
  t.is(globSync('node_modules/node/bin/node', { cwd: ROOT }).length, 1)
  t.deepEqual(globSync('node_modules/node/node_modules/*/include', { cwd: ROOT }), [])
})
