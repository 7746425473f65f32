/**
 * `npm run times`: writes the median seconds of each test file from the whole runs that this machine stored, and their
 * sums by class of files into docs/testing.md.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../sources.ts'
import { PAGE, withTimes } from '../suite/classes.ts'
import { mediansOfRuns, TIMES_FILE } from './times.ts'

const medians = await mediansOfRuns()
await writeFile(join(ROOT, TIMES_FILE), `${JSON.stringify(medians, undefined, 2)}\n`)
await writeFile(join(ROOT, PAGE), withTimes(medians))
console.log(`${Object.keys(medians).length} test files in "${TIMES_FILE}"`)
