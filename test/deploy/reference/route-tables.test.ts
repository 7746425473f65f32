/** The generated tables of docs/rest.md and docs/mcp.md against the declarations: neither lacks a route or a tool. */
import test from 'ava'
import { toolsOf } from '../../../api/mcp/tools.ts'
import { declaredRoutes } from '../../../api/served-text.ts'
import { pagesWithTables } from '../../../deploy/reference/route-tables.ts'

const ROUTES = declaredRoutes()

/** Names in backticks in the table of a page. */
function tableOf(page = '', name: string): string[] {
  const [, table = ''] = page.split(`<!-- generated: ${name} -->`)
  const [rows = ''] = table.split(`<!-- end of ${name} -->`)
  return Array.from(rows.matchAll(/`([^`]+)`/g), ([, each = '']) => each)
}

test('the tables list every route with a key once, and every tool', async (t) => {
  const pages = await pagesWithTables()
  const listed = tableOf(pages['rest.md'], 'routes')
  const declared = ROUTES.filter(({ access }) => access !== 'operator')
  const paths = declared.map(({ path }): string => path)
  t.deepEqual(listed.filter((each) => paths.includes(each)).toSorted(), paths.toSorted())
  t.deepEqual(
    listed.filter((path) => path.startsWith('/admin')),
    [],
  )
  const tools = tableOf(pages['mcp.md'], 'tools')
  t.deepEqual(tools.toSorted(), [...toolsOf(ROUTES).keys()].sort())
})
