/** `npm run generate:answers`: writes the types of the console. */
import { writeFile } from 'node:fs/promises'
import { consoleAnswers } from './console-answers.ts'

await writeFile(new URL('../../web/console/answers.ts', import.meta.url), await consoleAnswers())
