/** Comments, texts, titles and names of source files, for the checks of language. */
import type { Node } from 'typescript/unstable/ast'
import { SyntaxKind } from 'typescript/unstable/ast'
import {
  isBinaryExpression,
  isCallExpression,
  isElementAccessExpression,
  isIdentifier,
  isNewExpression,
  isPrivateIdentifier,
  isPropertyAccessExpression,
} from 'typescript/unstable/ast/is'
import { nodesOf, type Source, startOf, textOf } from './sources.ts'

type Text = {
  kind: 'logs' | 'errors' | 'texts'
  text: string
  isConstant: boolean
  /** Whether nothing is concatenated before it. */
  isBeginning: boolean
}

const TEXT_KINDS = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
])
const MESSAGE_KINDS = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateExpression,
])
/** Opening mark of a text or comment in SQL, CSS, proto and shell, and the pattern of the whole. */
const TOKENS: Record<string, RegExp> = {
  sql: /'(?:[^']|'')*'|"[^"]*"|\/\*[\s\S]*?\*\/|(?:--.*(?:\n[ \t]*(?=--))?)+/g,
  css: /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\//g,
  proto:
    /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\/|(?:\/\/.*(?:\n[ \t]*(?=\/\/))?)+/g,
  sh: /'[^']*'|"(?:[^"\\]|\\.)*"|(?:(?<=^|[\s;])#.*(?:\n[ \t]*(?=#))?)+/gm,
}
/** The name of a statement of SQL is no sentence, and the header follows it. */
const STATEMENT_NAME = /^-- name: .*\n/gm
/** Whole lines: settings hold texts without quotes, in which a mark of strings or comments means nothing. */
const HASH_LINES = /^[ \t]*#(?!!).*(?:\n[ \t]*#.*)*/gm
const COMMENT = /\/\*[\s\S]*?\*\/|(?:\/\/.*(?:\n[ \t]*(?=\/\/))?)+/g
const LOG_METHODS = new Set(['debug', 'error', 'fatal', 'info', 'trace', 'warn'])

/** Whether comments of the file are found: by its ending, or, of settings and programs without one, as lines of `#`. */
export function hasComments(path: string): boolean {
  return extensionOf(path) in TOKENS || isHashed(path)
}

const extensionOf = (path: string): string => path.split('.').at(-1) ?? ''
const nameOf = (path: string): string => path.split('/').at(-1) ?? ''

function isHashed(path: string): boolean {
  return (
    /\.(?:ya?ml|conf|service|target|dockerignore)$/.test(path) || !nameOf(path).includes('.', 1)
  )
}

/** Text of each comment without its marks. Lines of `//`, `--` or `#` that follow each other are one. */
export function commentsOf(source: {
  path: string
  text: string
  tree?: Source['tree']
}): string[] {
  if (source.tree !== undefined) {
    const code = withoutTexts(source.tree)
    return Array.from(code.matchAll(COMMENT), ([comment]) => bare(comment))
  }
  const token = TOKENS[extensionOf(source.path)] ?? (isHashed(source.path) ? HASH_LINES : undefined)
  if (token === undefined) return []
  const text = source.text.replaceAll(STATEMENT_NAME, '')
  return Array.from(text.matchAll(token), ([found]) => found)
    .filter((found) => !/^['"]/.test(found))
    .map(bare)
}

/** The code with its literals blanked: their contents may look like comments. */
function withoutTexts(tree: Source['tree']): string {
  const parts: string[] = []
  let at = 0
  for (const node of nodesOf(tree).filter(({ kind }) => TEXT_KINDS.has(kind))) {
    const start = startOf(node, tree)
    parts.push(tree.text.slice(at, start), ' ')
    at = node.end
  }
  return parts.join('') + tree.text.slice(at)
}

function bare(comment: string): string {
  return comment.replaceAll(/^[\s/*#-]+|[\s*/]+$/g, '')
}

/** Strings and templates of several words, by where they are used; `…` stands for filled-in values. */
export function textsOf({ tree }: Source): Text[] {
  return nodesOf(tree).flatMap((node) => {
    const isTemplate = node.kind === SyntaxKind.TemplateExpression
    const isText =
      node.kind === SyntaxKind.StringLiteral ||
      node.kind === SyntaxKind.NoSubstitutionTemplateLiteral
    if (!isTemplate && !isText) return []
    const text = textOf(node, tree)
      .slice(1, -1)
      .replaceAll(/\$\{[^{}]*\}/g, '…')
    const kind = kindOf(node)
    if (kind !== 'logs' && !/[A-Za-z…]\s+[A-Za-z…]/.test(text)) return []
    return [{ kind, text, isConstant: !isTemplate, isBeginning: isFirstPiece(node) }]
  })
}

/** Whether it is the left operand of each concatenation that it is in. */
function isFirstPiece(node: Node): boolean {
  let piece = node
  while (isBinaryExpression(piece.parent) && piece.parent.left === piece) piece = piece.parent
  return (
    !isBinaryExpression(piece.parent) || piece.parent.operatorToken.kind !== SyntaxKind.PlusToken
  )
}

function kindOf(node: Node): Text['kind'] {
  for (let above = node.parent; above !== undefined; above = above.parent) {
    if (above.kind === SyntaxKind.ThrowStatement) return 'errors'
    if (isNewExpression(above)) {
      const made = above.expression
      if (isIdentifier(made) && /(Error|Fault|Refusal|Refused|Unavailable)$/.test(made.text)) {
        return 'errors'
      }
    }
    if (isCallExpression(above) && above.arguments.includes(node as never) && isLogCall(above)) {
      return 'logs'
    }
    if (/Function|Method|Declaration|SourceFile/.test(SyntaxKind[above.kind] ?? '')) break
  }
  return 'texts'
}

/** Calls of a logger without a text of their own: it is in a variable, so it cannot be searched for. */
export function wordlessLogsOf({ tree }: Source): string[] {
  return nodesOf(tree).flatMap((node) => {
    if (!isCallExpression(node) || !isLogCall(node)) return []
    const hasText = node.arguments.some(({ kind }) => MESSAGE_KINDS.has(kind))
    return hasText ? [] : [textOf(node, tree)]
  })
}

/** Whether it is `log.warn(...)`, or `log[level](...)` with a level that is chosen when it runs. */
function isLogCall(call: Node): boolean {
  if (!isCallExpression(call)) return false
  const callee = call.expression
  if (isElementAccessExpression(callee)) return isLogger(callee.expression)
  return (
    isPropertyAccessExpression(callee) &&
    LOG_METHODS.has(callee.name.text) &&
    isLogger(callee.expression)
  )
}

function isLogger(expression: Node): boolean {
  const name = isPropertyAccessExpression(expression) ? expression.name : expression
  return (isIdentifier(name) || isPrivateIdentifier(name)) && /^#?log(ger)?$/.test(name.text)
}

/** Titles of `test(...)`, `test.serial(...)` and the like. */
export function titlesOf({ tree }: Source): string[] {
  return nodesOf(tree).flatMap((node) => {
    if (!isCallExpression(node) || !/^test\b/.test(textOf(node.expression, tree))) return []
    const [title] = node.arguments
    if (title === undefined || !/^['`"]/.test(textOf(title, tree))) return []
    return [textOf(title, tree).slice(1, -1)]
  })
}

/** Kinds of nodes whose name the code chooses. Keys of objects are not: they may be those of a message or a table. */
const DECLARATIONS = new Set([
  SyntaxKind.BindingElement,
  SyntaxKind.ClassDeclaration,
  SyntaxKind.EnumDeclaration,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.GetAccessor,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.NamedTupleMember,
  SyntaxKind.Parameter,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.PropertySignature,
  SyntaxKind.SetAccessor,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.TypeParameter,
  SyntaxKind.VariableDeclaration,
])
/** Columns of SQL and fields of the API, which types of rows and messages repeat. */
const IS_SNAKE_CASE = /^[a-z]\w*_/

/** Identifiers that the code declares: exported, local, private and those of types. */
export function declaredNamesOf({ tree }: Source): string[] {
  return nodesOf(tree).flatMap((node) => {
    if (!DECLARATIONS.has(node.kind)) return []
    const { name } = node as Node & { name?: Node }
    const isName = name !== undefined && (isIdentifier(name) || isPrivateIdentifier(name))
    return isName && !IS_SNAKE_CASE.test(name.text) ? [name.text] : []
  })
}

/** Texts and comments of SQL: no names are in them. Quoted names and the tags of dollar quotes stay. */
const SQL_TEXTS = /\/\*[\s\S]*?\*\/|--.*|'(?:[^']|'')*'/g
const SQL_NAME = /[a-z_]\w*/gi
/** Lines of comments that name a statement, or the variants and placeholders of one. */
const SQL_DIRECTIVE = /^-- (?:name: (\S+)|variant (.*))/gm

/** Words of SQL that may be names: of statements, placeholders, tables, columns, functions, aliases, windows. */
export function sqlNamesOf(text: string): string[] {
  const directives = Array.from(text.matchAll(SQL_DIRECTIVE), ([, name, variant]) =>
    name === undefined ? (variant?.match(SQL_NAME) ?? []) : [name],
  ).flat()
  return [...directives, ...(text.replaceAll(SQL_TEXTS, ' ').match(SQL_NAME) ?? [])]
}
