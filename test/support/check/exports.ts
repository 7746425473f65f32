/** Exported names of the project's files and the files that import each, by syntax. */
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { SyntaxKind } from 'typescript/unstable/ast'
import {
  isCallExpression,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isNamedExports,
  isNamedImports,
  isNamespaceImport,
  isPropertyAccessExpression,
  isQualifiedName,
  isStringLiteral,
  isVariableStatement,
} from 'typescript/unstable/ast/is'
import { nodesOf, type Source, targetOf } from '../sources.ts'

type Export = {
  path: string
  name: string
  /** Offset in its file. */
  at: number
  /** Files that import it by name, or the whole of its file as a value. */
  importers: ReadonlySet<string>
  /** Whether its own file uses it as well. */
  isUsedInside: boolean
}

/** A name that stands for all exports of a file. */
const ALL = '*'

export function exportsOf(sources: readonly Source[]): Export[] {
  const importers = new Map<string, Set<string>>()
  for (const source of sources) {
    for (const [target, name] of importedNames(source)) {
      const key = `${target} ${name}`
      const known = importers.get(key)
      if (known === undefined) importers.set(key, new Set([source.path]))
      else known.add(source.path)
    }
  }
  return sources.flatMap(({ path, tree }) => {
    const whole = importers.get(`${path} ${ALL}`) ?? []
    const mentions = mentionsOf(tree)
    return Array.from(declaredExports(tree), ({ name, at, isRepeated }) => ({
      path,
      name,
      at,
      importers: new Set([...(importers.get(`${path} ${name}`) ?? []), ...whole]),
      // One mention is the declaration's own.
      isUsedInside: !isRepeated && (mentions.get(name) ?? 0) > 1,
    }))
  })
}

/** Mentions of each identifier that are no properties: `a` in `a.b`. */
function mentionsOf(tree: SourceFile): Map<string, number> {
  const counts = new Map<string, number>()
  for (const node of nodesOf(tree)) {
    if (!isIdentifier(node)) continue
    const { parent } = node
    if (isPropertyAccessExpression(parent) && parent.name === node) continue
    counts.set(node.text, (counts.get(node.text) ?? 0) + 1)
  }
  return counts
}

type Declared = {
  name: string
  at: number
  /** Exported from another file, or by a list: its mention there is none. */
  isRepeated: boolean
}

function* declaredExports(tree: SourceFile): Generator<Declared> {
  const declared = (node: Node, isRepeated = false): Declared[] =>
    isIdentifier(node) ? [{ name: node.text, at: node.getStart(tree), isRepeated }] : []
  for (const statement of tree.statements) {
    if (isExportDeclaration(statement)) {
      const { exportClause } = statement
      if (exportClause === undefined || !isNamedExports(exportClause)) continue
      for (const { name } of exportClause.elements) yield* declared(name, true)
      continue
    }
    const { modifiers, name } = statement as unknown as { modifiers?: readonly Node[]; name?: Node }
    if (!modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword)) continue
    if (name !== undefined) yield* declared(name)
    if (!isVariableStatement(statement)) continue
    for (const { name: bound } of statement.declarationList.declarations) {
      if (isIdentifier(bound)) yield* declared(bound)
      else for (const { name: part } of bound.elements) if (part) yield* declared(part)
    }
  }
}

/** Pairs of a file of ours and a name that `source` imports from it, or exports again. */
function* importedNames({ path, tree }: Source): Generator<[target: string, name: string]> {
  const targetAt = (specifier: Node | undefined): string | undefined =>
    specifier && isStringLiteral(specifier)
      ? targetOf({ specifier: specifier.text }, path)
      : undefined
  for (const node of nodesOf(tree)) {
    if (isImportDeclaration(node)) {
      const target = targetAt(node.moduleSpecifier)
      const bindings = node.importClause?.namedBindings
      if (target === undefined || bindings === undefined) continue
      if (isNamedImports(bindings)) {
        for (const { propertyName, name } of bindings.elements) {
          yield [target, (propertyName ?? name).text]
        }
      } else if (isNamespaceImport(bindings)) {
        for (const name of membersOf(bindings.name.text, tree)) yield [target, name]
      }
    } else if (isExportDeclaration(node)) {
      const target = targetAt(node.moduleSpecifier)
      const { exportClause } = node
      if (target === undefined) continue
      if (exportClause === undefined || !isNamedExports(exportClause)) yield [target, ALL]
      else {
        for (const { propertyName, name } of exportClause.elements) {
          yield [target, (propertyName ?? name).text]
        }
      }
    } else if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
      const target = targetAt(node.arguments[0])
      if (target !== undefined) yield [target, ALL]
    }
  }
}

/** Members of an imported namespace that a file names; all where it passes the namespace on. */
function* membersOf(namespace: string, tree: SourceFile): Generator<string> {
  for (const node of nodesOf(tree)) {
    if (!isIdentifier(node) || node.text !== namespace) continue
    const { parent } = node
    if (isNamespaceImport(parent)) continue
    if (isPropertyAccessExpression(parent) && parent.expression === node) yield parent.name.text
    else if (isQualifiedName(parent) && parent.left === node) yield parent.right.text
    else if (!isPropertyAccessExpression(parent) && !isQualifiedName(parent)) yield ALL
  }
}
