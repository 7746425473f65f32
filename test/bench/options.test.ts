/** Options of the bench: wrong ones are one line that names what is accepted, and the help fits a terminal. */
import test from 'ava'
import { benchHelp, readOptions } from '../../bench/options.ts'
import { UsageError } from '../../deploy/cli/arguments.ts'

const NAMES = ['copy', 'chain']
const refusalOf = (...argv: string[]): string => {
  try {
    readOptions(argv, NAMES)
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  return ''
}

test('reads measurements, counts and flags', (t) => {
  t.like(readOptions(['--only', 'chain,copy', '--rounds', '5', '--json'], NAMES), {
    only: ['chain', 'copy'],
    rounds: 5,
    swaps: 200_000,
    isJson: true,
    isSoak: false,
  })
  t.is(readOptions([], NAMES).only, undefined)
})

test('--quick is one round of few measurements, and options alongside it win', (t) => {
  const quick = readOptions(['--quick'], NAMES)
  t.like(quick, { rounds: 1, swaps: 40_000, seconds: 5 })
  t.deepEqual(quick.only, ['copy', 'pipeline-whole', 'fresh-start', 'headroom', 'no-cliff'])
  t.like(readOptions(['--quick', '--only', 'copy', '--rounds', '2'], NAMES), {
    only: ['copy'],
    rounds: 2,
    swaps: 40_000,
  })
})

test('refuses wrong options in one line that names what is accepted', (t) => {
  t.is(refusalOf('--only', 'chian'), 'unknown measurement "chian": did you mean "chain"?')
  t.is(refusalOf('--only', 'chain,'), 'unknown measurement "": use one of copy chain')
  t.is(refusalOf('--onyl', 'chain'), 'unknown option "--onyl": did you mean "--only"?')
  t.is(refusalOf('--only'), '--only needs a value: NAME,..., measure these only')
  t.is(refusalOf('--rounds', '0'), '--rounds "0": expected an integer of 1 to 1000000000')
  t.is(refusalOf('chain'), 'unexpected argument "chain": name measurements by --only chain')
})

test('--growth has a folder, and may have a limit of memory', (t) => {
  t.is(readOptions([], NAMES).growth, undefined)
  const growth = readOptions(['--growth', '1000', '--home', 'grown', '--memory', '4'], NAMES).growth
  t.deepEqual(growth, { swaps: 1_000, home: 'grown', memoryGib: 4 })
  t.is(refusalOf('--growth', '5'), '--growth needs --home FOLDER, where all of it lies')
  t.is(refusalOf('--memory', '4'), '--home and --memory belong to --growth N')
  t.is(
    refusalOf('--growth', 'all', '--home', 'x'),
    '--growth "all": expected an integer of 1 to 1000000000',
  )
})

test('prints help of at most 80 columns with every measurement', (t) => {
  const help = benchHelp(NAMES)
  t.true(help.split('\n').every((line) => line.length <= 80))
  t.regex(help, /^npm run bench -- /)
  t.regex(help, /Measurements: copy chain\./)
})
