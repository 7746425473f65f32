/**
 * The tables of docs/rest.md and docs/mcp.md, in blocks between `<!-- generated: NAME -->` and `<!-- end of NAME -->`: the routes
 * and tools by their topics in `/openapi.json`.
 */
import { readFile } from 'node:fs/promises'
import { toolsOf } from '../../api/mcp/tools.ts'
import { declaredRoutes } from '../../api/served-text.ts'
import { markdownTable, withBlock } from './markdown.ts'
import { operatorsDocument } from './operators-document.ts'

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
  const tableOf = (list: 'routes' | 'tools'): string => {
    const rows = topics.map((topic) => [topic.about, topic[list].join(', ')])
    return markdownTable(
      ['topic', list],
      rows.filter(([, names]) => names !== ''),
    )
  }
  const pageWith = async (page: string, list: 'routes' | 'tools'): Promise<string> =>
    withBlock(await readFile(new URL(page, DOCS), 'utf8'), {
      path: `docs/${page}`,
      begin: `<!-- generated: ${list} -->`,
      end: `<!-- end of ${list} -->`,
      block: tableOf(list),
    })
  return {
    'rest.md': await pageWith('rest.md', 'routes'),
    'mcp.md': await pageWith('mcp.md', 'tools'),
  }
}

async function topicsOf(): Promise<Topic[]> {
  const { tags, paths } = await operatorsDocument<Described>()
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
