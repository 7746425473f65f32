/** Recorded examples as the text of their file: a line for the market, and one for each operation. Pure. */
import type { RecordedExamples } from '../../../api/examples/recorded.ts'
import { writeExact } from '../../../api/routing/json.ts'

export function examplesText({ market, answers }: RecordedExamples): string {
  const rows = Object.entries(answers).map(
    ([operation, each]) => `${JSON.stringify(operation)}: ${writeExact(each)}`,
  )
  return `{\n"market": ${JSON.stringify(market)},\n"answers": {\n${rows.join(',\n')}\n}\n}\n`
}
