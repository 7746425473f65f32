/** `npm run generate:answers`: writes the types of the pages. */
import { writeFile } from 'node:fs/promises'
import { pageAnswers } from './page-answers.ts'

await writeFile(new URL('../../web/client/answers.ts', import.meta.url), await pageAnswers())
