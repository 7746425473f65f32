/**
 * Every generated file that is checked in, with the source of its text. `npm run generate` writes them, and
 * `test/deploy/reference/generated.test.ts` fails where one differs from what this version generates.
 */
import { VENUE_TABLES } from '../../chain/venues/tables.ts'
import { TAG_TABLES, tagsSource } from '../../proto/generate.ts'
import { clientDeclarations } from './client-declarations.ts'
import { consoleAnswers } from './console-answers.ts'
import { interfaceText } from './interface.ts'
import { generatedPages } from './pages.ts'
import { pagesWithTables } from './route-tables.ts'

/** Texts by path from the root. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const pages = Object.entries({ ...(await generatedPages()), ...(await pagesWithTables()) })
  return new Map([
    ...pages.map(([name, text]) => [`docs/${name}`, text] as const),
    ...VENUE_TABLES,
    ...TAG_TABLES.map((table) => [table.file, tagsSource(table)] as const),
    ['clients/typescript/generated.ts', await clientDeclarations()],
    ['interface.txt', await interfaceText()],
    ['web/console/answers.ts', await consoleAnswers()],
  ])
}
