/** Packages of Swaptide as a user meets them: made by `npm pack` in a tree, and installed in a folder. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../sources.ts'

const MODULES = join(ROOT, 'node_modules')

type Manifest = {
  version: string
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

/** The archive that `npm pack` makes of the tree, whose installed packages are those of this clone. `version`: instead of the tree's. */
export function makePackage(tree: string, version?: string): string {
  if (version !== undefined) {
    const path = join(tree, 'package.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
    writeFileSync(path, JSON.stringify({ ...manifest, version }, null, 2))
  }
  const printed = execFileSync('npm', ['pack', '--json'], {
    cwd: tree,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [{ filename }] = JSON.parse(printed.slice(printed.indexOf('[\n'))) as [{ filename: string }]
  return join(tree, filename)
}

/**
 * Installs the archive in a folder, where it replaces an earlier one; the result is the package's folder. `npm install` needs a
 * registry: without `byNpm` the archive is unpacked where npm would put it, with the packages that it declares and no other.
 */
export function installPackage(archive: string, folder: string, byNpm = false): string {
  const modules = join(folder, 'node_modules')
  const root = join(modules, 'swaptide')
  mkdirSync(folder, { recursive: true })
  if (byNpm) {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', archive], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return root
  }
  rmSync(modules, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  execFileSync('tar', ['xf', archive, '-C', root, '--strip-components=1'])
  const { dependencies, optionalDependencies } = manifestOf(root)
  for (const name of Object.keys(dependencies)) link(join(MODULES, name), join(modules, name))
  const node = `node-linux-${process.arch}`
  if (!(node in optionalDependencies)) throw new Error(`the package declares no "${node}"`)
  link(dirname(dirname(process.execPath)), join(modules, node))
  return root
}

export const manifestOf = (root: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
