/**
 * Results of verified days as files of a folder that the operator names, one a day: replaced whole, so that a run which ended
 * anywhere leaves a day's result complete or absent.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DayResult, DayStore } from '../../workers/verify/days/verify-days.ts'
import { UsageError } from '../cli/arguments.ts'
import { parseDurable, readDurable, writeDurable } from '../local/files/durable-file.ts'

/** Raised when a reader of the files must change. */
const STATE_VERSION = 1

/** Makes the folder. Throws UsageError where that is impossible. */
export async function stateFolder(folder: string): Promise<DayStore> {
  await mkdir(folder, { recursive: true }).catch((cause: Error) => {
    throw new UsageError(`--state "${folder}" cannot be used: ${cause.message}`, { cause })
  })
  const pathOf = (day: string) => join(folder, `${day}.json`)
  return {
    async read(day) {
      const text = await readDurable(pathOf(day))
      if (text === undefined) return undefined
      const read = parseDurable<DayResult & { stateVersion: number }>(text)
      // A day whose result cannot be read is verified again.
      if (read?.stateVersion !== STATE_VERSION || read.day !== day) return undefined
      const { stateVersion: _, ...result } = read
      return result
    },
    async write(result) {
      const text = JSON.stringify({ stateVersion: STATE_VERSION, ...result }, null, 2)
      await writeDurable(pathOf(result.day), `${text}\n`)
    },
  }
}
