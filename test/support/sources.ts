/**
 * The project's own files as the tidy tests and the choice of pure tests see them: texts, and of
 * TypeScript files the syntax tree by the compiler's own parser.
 *
 * Trees are expensive (a second of CPU for all files): a check that texts suffice for reads only those.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { SyntaxKind } from 'typescript/unstable/ast'
import {
  isArrowFunction,
  isCallExpression,
  isConstructorDeclaration,
  isExportDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isImportDeclaration,
  isMethodDeclaration,
  isSetAccessorDeclaration,
  isStringLiteral,
} from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/sync'

/** The program without libraries or packages: to parse our files it needs neither. */
const PARSED = 'test/support/parsed.json'
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

type Import = { specifier: string; isTypeOnly: boolean }

export type Source = {
  /** From the root, with slashes. */
  path: string
  text: string
  tree: SourceFile
  imports: Import[]
}

/** Not the project's: files that are installed, generated, or belong to an editor. */
function isForeign(name: string, isFolder: boolean): boolean {
  // Also skipped as a link: it is no folder of the project then either.
  if (name === 'node_modules') return true
  if (isFolder && name === 'dist') return true
  if (isFolder) return name.startsWith('.') && name !== '.ci' && name !== '.github'
  return (
    name.endsWith('.log') || name.endsWith('.cpuprofile') || name === '.DS_Store' || name === '.git'
  )
}

/** Paths of all files of the project, from the root. */
export function listFiles(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => !isForeign(entry.name, entry.isDirectory()))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      return entry.isDirectory() ? listFiles(path) : [path]
    })
}

/** Components of the pages are TypeScript, too. */
export function isTypeScript(path: string): boolean {
  return /\.tsx?$/.test(path)
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

let sources: readonly Source[] | undefined

/** Every TypeScript file of the project, parsed once a thread. */
export function readSources(): readonly Source[] {
  sources ??= parseSources()
  return sources
}

function parseSources(): Source[] {
  const api = new API({ cwd: ROOT })
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(ROOT, PARSED)] }).getProjects()
    return listFiles()
      .filter(isTypeScript)
      .map((path) => {
        const tree = project?.program.getSourceFile(join(ROOT, path))
        if (tree === undefined) throw new Error(`"${path}" is not part of ${PARSED}`)
        return { path, text: tree.text, tree, imports: importsOf(tree) }
      })
  } finally {
    api.close()
  }
}

const nodesByTree = new WeakMap<SourceFile, readonly Node[]>()

/** Each node of the tree, parents before children; walked once for any number of tests. */
export function nodesOf(tree: SourceFile): readonly Node[] {
  const known = nodesByTree.get(tree)
  if (known !== undefined) return known
  const nodes: Node[] = []
  const visit = (node: Node): undefined => {
    nodes.push(node)
    node.forEachChild(visit)
  }
  visit(tree)
  nodesByTree.set(tree, nodes)
  return nodes
}

function importsOf(tree: SourceFile): Import[] {
  const found: Import[] = []
  for (const node of nodesOf(tree)) {
    if (isImportDeclaration(node) || isExportDeclaration(node)) {
      const { moduleSpecifier } = node
      if (moduleSpecifier === undefined || !isStringLiteral(moduleSpecifier)) continue
      found.push({
        specifier: moduleSpecifier.text,
        isTypeOnly: /^(import|export) type\b/.test(textOf(node, tree)),
      })
    } else if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments
      if (specifier && isStringLiteral(specifier)) {
        found.push({ specifier: specifier.text, isTypeOnly: false })
      }
    }
  }
  return found
}

export function textOf(node: Node, tree: SourceFile): string {
  return tree.text.slice(startOf(node, tree), node.end)
}

/** Where the node begins, the comments before it aside. */
export function startOf(node: Node, tree: SourceFile): number {
  return node.getStart(tree)
}

/** 1-based. */
export function lineOf(offset: number, tree: SourceFile): number {
  return tree.getLineAndCharacterOfPosition(offset).line + 1
}

/** The file that a relative specifier names, from the root; undefined for a package. */
export function targetOf(
  { specifier }: Pick<Import, 'specifier'>,
  importer: string,
): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  return normalize(join(dirname(importer), specifier))
}

export function isFunction(node: Node): boolean {
  return (
    isArrowFunction(node) ||
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isMethodDeclaration(node) ||
    isConstructorDeclaration(node) ||
    isGetAccessorDeclaration(node) ||
    isSetAccessorDeclaration(node)
  )
}

/** Findings in each source, as `path:line what`. */
export function offences(
  sources: readonly Source[],
  find: (source: Source) => Iterable<{ at: number; what: string }>,
): string[] {
  return sources.flatMap((source) =>
    Array.from(find(source), ({ at, what }) => `${source.path}:${lineOf(at, source.tree)} ${what}`),
  )
}
