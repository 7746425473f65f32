/** The generated pages of docs/ by file name. */
import { configurationPage } from './configuration.ts'

export async function generatedPages(): Promise<Record<string, string>> {
  return { 'configuration.md': configurationPage() }
}
