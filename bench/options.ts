/**
 * Options of `npm run bench`: one description serves the parser, `--help` and the messages about wrong arguments.
 */
import { integerOption, parseArguments, UsageError, usage } from '../deploy/cli/arguments.ts'
import { helpText } from '../deploy/cli/help.ts'
import { insteadOf } from '../domain/text/nearest-name.ts'

const LINE =
  'bench -- [--quick] [--only NAME,...] [--rounds N] [--swaps N] [--wallets N] [--tokens N] [--stored N] [--seconds N] [--soak [--minutes N]] [--growth N --home FOLDER [--memory GIB]] [--json] [--profile FOLDER]'

/** Defaults of a quick run; options that are given as well win. */
const QUICK = {
  only: ['copy', 'pipeline-whole', 'fresh-start', 'headroom', 'no-cliff'],
  rounds: 1,
  swaps: 40_000,
  seconds: 5,
}
const USUAL = { only: undefined, rounds: 3, swaps: 200_000, seconds: 10 }

const DESCRIBED = usage({
  line: LINE,
  options: {
    only: { type: 'string', value: 'NAME,...', about: 'measure these only' },
    quick: {
      type: 'boolean',
      about: `one round of ${QUICK.only.join(', ')} in less than three minutes`,
    },
    rounds: { type: 'string', value: 'N', about: 'values of each figure: default 3' },
    swaps: { type: 'string', value: 'N', about: 'swaps of a run: default 200000' },
    wallets: { type: 'string', value: 'N', about: 'wallets of "leaderboard"', default: '50000' },
    tokens: {
      type: 'string',
      value: 'N',
      about: 'active tokens of "ranking" and "freshness"',
      default: '100000',
    },
    stored: {
      type: 'string',
      value: 'N',
      about: 'swaps that are stored before "reads"',
      default: '50000',
    },
    seconds: { type: 'string', value: 'N', about: 'seconds of a steady load: default 10' },
    soak: { type: 'boolean', about: 'one long run through all actors and nothing else' },
    minutes: { type: 'string', value: 'N', about: 'minutes of --soak', default: '30' },
    growth: {
      type: 'string',
      value: 'N',
      about: 'store and seal so many swaps, part by part, and nothing else',
    },
    home: {
      type: 'string',
      value: 'FOLDER',
      about: 'folder of --growth, by which a run continues one that was ended',
    },
    memory: {
      type: 'string',
      value: 'GIB',
      about: 'memory of PostgreSQL and its cached files with --growth; needs root',
    },
    json: { type: 'boolean', about: 'print the figures as JSON, not as a table' },
    profile: { type: 'string', value: 'FOLDER', about: 'write a CPU profile of each worker' },
  },
  notes: [
    'Prints one table: medians of the rounds, in which the measurements take turns. A slow figure never fails; a wrong count does (exit code 1). SWAPTIDE_TUNE=1 lowers the CPU priority of workers as "swaptide up --tune" does.',
  ],
  examples: [
    'npm run bench -- --only chain',
    'npm run bench -- --only copy,pipeline-whole --rounds 5',
  ],
})

const COUNT = { min: 1, max: 1_000_000_000 }

export type BenchOptions = {
  /** Names of measurements; absent: all. */
  only: readonly string[] | undefined
  rounds: number
  swaps: number
  wallets: number
  tokens: number
  stored: number
  seconds: number
  minutes: number
  isSoak: boolean
  growth: Growth | undefined
  isJson: boolean
  profile: string | undefined
}

/** `swaps`: how many are stored at the end. `memoryGib`: undefined for no limit. */
export type Growth = { swaps: number; home: string; memoryGib: number | undefined }

/** Throws UsageError, also for a name that is not among the measurements. */
export function readOptions(argv: readonly string[], names: readonly string[]): BenchOptions {
  const { values, positionals } = parseArguments(DESCRIBED, argv)
  const [extra] = positionals
  if (extra !== undefined) {
    throw new UsageError(`unexpected argument "${extra}": name measurements by --only ${extra}`)
  }
  const count = (
    name: 'rounds' | 'swaps' | 'wallets' | 'tokens' | 'stored' | 'seconds' | 'minutes',
  ) => integerOption(name, values[name], COUNT) ?? 0
  const usual = values.quick ? QUICK : USUAL
  const given = values.only?.split(',')
  const unknown = given?.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw new UsageError(`unknown measurement "${unknown}": ${insteadOf(unknown, names)}`)
  }
  return {
    only: given ?? usual.only,
    rounds: count('rounds') || usual.rounds,
    swaps: count('swaps') || usual.swaps,
    wallets: count('wallets'),
    tokens: count('tokens'),
    stored: count('stored'),
    seconds: count('seconds') || usual.seconds,
    minutes: count('minutes'),
    isSoak: values.soak ?? false,
    growth: growthOf(values),
    isJson: values.json ?? false,
    profile: values.profile,
  }
}

function growthOf({
  growth,
  home,
  memory,
}: ReturnType<typeof parseArguments<(typeof DESCRIBED)['options']>>['values']): Growth | undefined {
  const swaps = integerOption('growth', growth, COUNT)
  const memoryGib = integerOption('memory', memory, { min: 1, max: 1_024 })
  if (swaps !== undefined && home) return { swaps, home, memoryGib }
  if (swaps !== undefined)
    throw new UsageError('--growth needs --home FOLDER, where all of it lies')
  if (home !== undefined || memory !== undefined) {
    throw new UsageError('--home and --memory belong to --growth N')
  }
  return undefined
}

/** The text of `npm run bench -- --help`. */
export function benchHelp(names: readonly string[]): string {
  const notes = [...(DESCRIBED.notes ?? []), `Measurements: ${names.join(' ')}.`]
  return helpText({ ...DESCRIBED, notes }, 'measure Swaptide on this machine', 'npm run')
}
