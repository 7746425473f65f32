/** Valid arguments, and messages about wrong ones. */
import test from 'ava'
import {
  choiceOption,
  expectNone,
  integerOption,
  parseArguments,
  UsageError,
  usage,
} from '../../../deploy/cli/arguments.ts'
import { helpText } from '../../../deploy/cli/help.ts'

const described = usage({
  line: 'paint [--colour C] WALL...',
  options: {
    colour: { type: 'string', value: 'C', about: 'which', default: 'white' },
    twice: { type: 'boolean', about: 'again when dry' },
  },
  notes: ['Mind the cat.'],
  examples: ['swaptide paint --twice north'],
})

test('distinguishes options from other arguments', (t) => {
  const { values, positionals } = parseArguments(described, ['north', '--twice', 'south'])
  t.is(values.colour, 'white')
  t.true(values.twice)
  t.deepEqual(positionals, ['north', 'south'])
})

test('refuses an unknown option with the list of known ones', (t) => {
  t.throws(() => parseArguments(described, ['--brush', 'red']), {
    instanceOf: UsageError,
    message: 'unknown option "--brush": paint has --colour --twice --help',
  })
  t.throws(() => parseArguments(described, ['--color', 'red']), {
    instanceOf: UsageError,
    message: 'unknown option "--color": did you mean "--colour"?',
  })
})

test('refuses an option without its value and names the missing value', (t) => {
  t.throws(() => parseArguments(described, ['--colour']), {
    instanceOf: UsageError,
    message: '--colour needs a value: C, which',
  })
  t.throws(() => parseArguments(described, ['--colour', '--twice']), {
    instanceOf: UsageError,
    message: '--colour needs a value: C, which',
  })
  t.throws(() => parseArguments(described, ['--twice=no']), {
    instanceOf: UsageError,
    message: '--twice takes no value: again when dry',
  })
})

test('help lists options with defaults, notes and examples', (t) => {
  t.is(
    helpText(described, 'paint walls'),
    `swaptide paint [--colour C] WALL...

Paint walls.

Mind the cat.

Options:
  --colour C  which (default white)
  --twice     again when dry
  --help      print this text

Examples:
  swaptide paint --twice north
`,
  )
})

test('an integer out of its range is refused with the range', (t) => {
  const bounds = { min: 1, max: 10 }
  t.is(integerOption('n', '10', bounds), 10)
  t.is(integerOption('n', undefined, bounds), undefined)
  for (const text of ['0', '11', '1.5', '1e1', '-1', '', ' 1']) {
    t.throws(() => integerOption('n', text, bounds), {
      instanceOf: UsageError,
      message: `--n "${text}": expected an integer of 1 to 10`,
    })
  }
})

test('a choice is one of the choices', (t) => {
  const tiers = ['free', 'pro'] as const
  t.is(choiceOption('tier', 'pro', tiers), 'pro')
  t.throws(() => choiceOption('tier', 'gold', tiers), {
    message: 'unknown tier "gold": use one of free pro',
  })
  t.throws(() => choiceOption('tier', undefined, tiers), {
    message: '--tier is missing: use one of free pro',
  })
})

test('an argument too many is refused by name', (t) => {
  t.notThrows(() => expectNone('status', []))
  t.throws(() => expectNone('status', ['now']), { message: /unexpected argument "now"/ })
})
