/**
 * The tables of docs/rest.md and docs/mcp.md, in blocks between `<!-- generated: NAME -->` and `<!-- end of NAME -->`: the routes
 * and tools by their topics in `/openapi.json`.
 */
import { readFile } from 'node:fs/promises'
import { NO_OPERATIONS } from '../../api/admin/no-operations.ts'
import { toolsOf } from '../../api/mcp/tools.ts'
import { declaredRoutes, servedText } from '../../api/served-text.ts'

const DOCS = new URL('../../docs/', import.meta.url)
/** Routes of operators are described in docs/operations.md. */
const OPERATORS = 'admin'

type Described = {
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, { operationId: string; tags: string[] }>>>>
}
type Topic = { about: string; routes: string[]; tools: string[] }

/** The pages by file name. */
export async function pagesWithTables(): Promise<Record<string, string>> {
  const topics = await topicsOf()
  const table = (title: string, list: 'routes' | 'tools'): string =>
    [`| topic | ${title} |`, '| --- | --- |']
      .concat(
        topics
          .filter((topic) => topic[list].length > 0)
          .map((topic) => `| ${topic.about} | ${topic[list].join(', ')} |`),
      )
      .join('\n')
  return {
    'rest.md': await withBlock('rest.md', 'routes', table('routes', 'routes')),
    'mcp.md': await withBlock('mcp.md', 'tools', table('tools', 'tools')),
  }
}

async function topicsOf(): Promise<Topic[]> {
  const text = await servedText('/openapi.json', { operations: NO_OPERATIONS })
  const { tags, paths } = JSON.parse(text) as Described
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  const tools = [...toolsOf(declaredRoutes()).values()]
  return tags
    .filter(({ name }) => name !== OPERATORS)
    .map(({ name, description }) => {
      const own = operations.filter((operation) => operation.tags.includes(name))
      const ids = new Set(own.map(({ operationId }) => operationId))
      return {
        about: description,
        routes: own.map(({ path, method }) =>
          method === 'get' ? `\`${path}\`` : `\`${path}\` (${method.toUpperCase()})`,
        ),
        tools: tools
          .filter(({ route }) => ids.has(route.operationId))
          .map((tool) => `\`${tool.name}\``),
      }
    })
}

/** Throws where the page has no such block. */
async function withBlock(page: string, name: string, block: string): Promise<string> {
  const text = await readFile(new URL(page, DOCS), 'utf8')
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/${page}: expected a block "${name}"`)
  return `${text.slice(0, from + begin.length)}\n\n${block}\n\n${text.slice(to)}`
}
