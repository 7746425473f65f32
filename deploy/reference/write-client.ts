/** `npm run generate:client`: writes the generated part of the TypeScript client. */
import { writeFile } from 'node:fs/promises'
import { clientDeclarations } from './client-declarations.ts'

await writeFile(
  new URL('../../clients/typescript/generated.ts', import.meta.url),
  await clientDeclarations(),
)
