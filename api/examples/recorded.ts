/**
 * Examples of the documents as `npm run examples` recorded them from a market that is the same at every run: what
 * requests name, and the answer to the example request of each route. `recorded.json` is read when it is needed first.
 */
import { readFileSync } from 'node:fs'
import { parseExact } from '../../domain/text/exact-json.ts'
import type { ExampleMarket } from './market.ts'

export type RecordedExample = {
  /** Lists have their first row only. */
  answer: unknown
  /** Message of the error for a subject that does not exist. */
  missing?: string
}
export type RecordedExamples = {
  market: ExampleMarket
  /** By operation. */
  answers: Readonly<Record<string, RecordedExample>>
}

const PATH = new URL('recorded.json', import.meta.url)
let read: RecordedExamples | undefined

export function recordedExamples(): RecordedExamples {
  read ??= parseExact(readFileSync(PATH, 'utf8')) as RecordedExamples
  return read
}
