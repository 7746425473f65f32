/**
 * The program of a package, in a form that Node runs from `node_modules`, where it strips no types: the modules that
 * the command line reaches, as JavaScript. Types are replaced by spaces, so a stack trace names the line of the source.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join, posix } from 'node:path'
import { FILES, pathOf } from '../../api/openapi/router.ts'
import { buildPages } from '../../api/pages/build.ts'
import { writeBuilt } from '../../api/pages/built.ts'

/** Files that the program reads in addition to its modules, and files that an operator copies. */
const ASSETS = [
  'sql/**/*.sql',
  'proto/**/*.proto',
  'docs/**/*.md',
  'api/examples/recorded.json',
  'deploy/{systemd,proxy,grafana}/**/*',
  'deploy/prometheus*.yaml',
]
const ENTRY = 'deploy/cli.ts'
/** Builds the pages: a package holds what it builds. */
const NOT_PACKED = 'api/pages/build.ts'
/** A path of ours in the code: of an import, or of a thread. */
const MODULE = /(?<=')\.{1,2}\/[^'\n]+\.ts(?=')/g

/** Replaces the folder; its `package.json` holds `identity`. Throws where a module names one that does not exist. */
export async function buildProgram(root: string, folder: string, identity: object): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(identity, null, 2))
  for (const path of globSync(ASSETS, { cwd: root })) {
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  writeModules(root, folder)
  const built = join(folder, 'built')
  await writeBuilt(built, await buildPages())
  for (const [name, file] of Object.entries(FILES)) cpSync(pathOf(name, file), join(built, name))
}

function writeModules(root: string, folder: string): void {
  const waiting = [ENTRY]
  const written = new Set([NOT_PACKED])
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (written.has(path)) continue
    written.add(path)
    const code = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'))
    const named = Array.from(code.matchAll(MODULE), ([specifier]) =>
      posix.join(posix.dirname(path), specifier),
    )
    waiting.push(...named)
    const target = join(folder, dirname(path), `${basename(path, '.ts')}.js`)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(
      target,
      code.replaceAll(MODULE, (specifier) => specifier.replace(/\.ts$/, '.js')),
    )
  }
}
