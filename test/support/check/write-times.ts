/** `npm run times`: writes the median seconds of each test file from the whole runs that this machine stored. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../sources.ts'
import { mediansOfRuns, TIMES_FILE } from './times.ts'

const medians = await mediansOfRuns()
await writeFile(join(ROOT, TIMES_FILE), `${JSON.stringify(medians, undefined, 2)}\n`)
console.log(`${Object.keys(medians).length} test files in "${TIMES_FILE}"`)
