// The published shape of the client, and generators of others over the same document.

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { servedText } from '../../../api/served-text.ts'
import { ROOT } from '../../support/sources.ts'
import { packClient, run } from './packed.ts'

const MODULES = join(ROOT, 'node_modules')
const CLIENT_MODULES = join(ROOT, 'clients/typescript/node_modules')
const EARLIER = join(ROOT, 'test/clients/typescript/earlier-compiler.ts')

test('is packed with its build, types and license only, and the judges of packages agree', async (t) => {
  const { archive } = await packClient(t)
  const { stdout: list } = await run('tar', ['-tf', archive])
  const names = ['client', 'feed', 'generated', 'request'].flatMap((name) => [
    `package/dist/${name}.d.ts`,
    `package/dist/${name}.js`,
  ])
  t.deepEqual(
    list.trim().split('\n').sort(),
    [...names, 'package/LICENSE', 'package/README.md', 'package/package.json'].sort(),
  )
  const { stdout: lint } = await run(process.execPath, [
    join(MODULES, 'publint/src/cli.js'),
    archive,
    '--strict',
  ])
  t.regex(lint, /All good/)
  // The package has modules of ES only. A problem is an exit status, with which run() rejects.
  const attw = join(MODULES, '@arethetypeswrong/cli/dist/index.js')
  const { stdout } = await run(process.execPath, [attw, archive, '--profile', 'esm-only'])
  for (const way of ['node16 (from ESM)', 'bundler']) t.true(stdout.includes(way), way)
})

async function workFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-generated-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'openapi.json'), await servedText('/openapi.json'))
  return folder
}

/** Rejects with the errors of the compiler in its strictest settings. */
async function compile(folder: string, options: object = {}): Promise<void> {
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], types: [], noEmit: true },
    ...{ module: 'esnext', moduleResolution: 'bundler', strict: true, skipLibCheck: false },
    ...options,
  }
  const project = join(folder, 'tsconfig.json')
  await writeFile(project, JSON.stringify({ compilerOptions, include: ['generated', '*.ts'] }))
  const compiler = join(CLIENT_MODULES, 'typescript/bin/tsc')
  await run(process.execPath, [compiler, '-p', project]).catch(({ stdout }) => {
    throw new Error(String(stdout).slice(0, 2_000))
  })
}

test('types of openapi-typescript compile strictly, and name operations and entities', async (t) => {
  const folder = await workFolder(t)
  const generator = join(CLIENT_MODULES, 'openapi-typescript/bin/cli.js')
  await run(process.execPath, [generator, 'openapi.json', '-o', 'generated.ts'], { cwd: folder })
  await writeFile(
    join(folder, 'use.ts'),
    `import type { components, operations } from './generated.ts'
     type Answer = operations['listSwaps']['responses'][200]['content']['application/json']
     export const rows = (answer: Answer): components['schemas']['Swap'][] => answer.data`,
  )
  await t.notThrowsAsync(compile(folder, { allowImportingTsExtensions: true }))
})

test('a client of @hey-api/openapi-ts compiles strictly, with a function for each operation', async (t) => {
  const folder = await workFolder(t)
  const generator = join(MODULES, '@hey-api/openapi-ts/dist/run.mjs')
  const given = ['--import', EARLIER, generator, '-i', 'openapi.json', '-o', 'generated']
  await run(process.execPath, given, { cwd: folder })
  await writeFile(
    join(folder, 'use.ts'),
    `import { getWalletPositions, listSwaps } from './generated'
     import type { Position, Swap } from './generated'
     export const all = [listSwaps, getWalletPositions]
     export type Both = Position & Swap`,
  )
  await t.notThrowsAsync(compile(folder))
})

/** Needs Java and its archive, which no package of npm holds: it is used where the machine has the command. */
const found = spawnSync('sh', ['-c', 'command -v openapi-generator-cli'], { encoding: 'utf8' })
const COMMAND = found.status === 0 ? found.stdout.trim() : undefined
const inJava = COMMAND === undefined ? test.skip : test
const WHY_SKIPPED =
  COMMAND === undefined ? ' (skipped: no openapi-generator-cli on this machine)' : ''

inJava(`a client of openapi-generator compiles strictly${WHY_SKIPPED}`, async (t) => {
  const folder = await workFolder(t)
  const given = ['generate', '-i', 'openapi.json', '-g', 'typescript-fetch', '-o', 'generated']
  await run(String(COMMAND), given, { cwd: folder })
  await t.notThrowsAsync(compile(folder))
})
