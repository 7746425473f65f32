/** The generated pages of docs/ by file name. */
import { commandsPage } from './commands.ts'
import { configurationPage } from './configuration.ts'
import { ingestFieldsPage } from './ingest-fields.ts'

export async function generatedPages(): Promise<Record<string, string>> {
  return {
    'commands.md': await commandsPage(),
    'configuration.md': configurationPage(),
    'ingest-fields.md': ingestFieldsPage(),
  }
}
