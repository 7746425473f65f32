/** `npm run capacity -- --swaps 5000`: prints what a load needs by the model of docs/capacity.md. */
import { UsageError } from '../../deploy/cli/arguments.ts'
import { EXIT_USAGE } from '../../deploy/cli/command.ts'
import { capacityHelp, printCapacity } from './report.ts'

const argv = process.argv.slice(2)
try {
  process.stdout.write(argv.includes('--help') ? capacityHelp() : printCapacity(argv))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`capacity: ${error.message}\n`)
  process.exitCode = EXIT_USAGE
}
