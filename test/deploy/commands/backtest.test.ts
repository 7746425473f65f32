/** `swaptide backtest copy`: the table, CSV and JSON of recorded vectors, and refusals. */
import test from 'ava'
import { ranksOf } from '../../simulation/models/leaderboard-model.ts'
import { insertLedger } from '../../support/api/insert-ledger.ts'
import { LAUNCHES } from '../../support/market/launches.ts'
import { runHere } from '../../support/programs/commands.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { testServers } from '../../support/servers/servers.ts'

const LEADER = 'BcACSLKqUtYY821ePSYS7dYrqaffuLnXRNqsLhZ3bvRj'
const SLOTS = LAUNCHES.map(({ slot }) => slot)
const GIVEN = ['--wallet', LEADER, '--from', String(Math.min(...SLOTS)), '--size-sol', '0.1']
const LOOSE = ['--set', 'slippage_bps=2000']
let settings: Record<string, string> = {}
let drop = async (): Promise<void> => {}

test.serial.before(async () => {
  const database = await testDatabase()
  const { natsUrl, redisUrl } = testServers()
  settings = { DATABASE_URL: database.databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl }
  drop = database.drop
  await insertLedger(database.db, LAUNCHES)
})
test.after.always(() => drop())

const backtest = (...argv: string[]) => runHere(['backtest', 'copy', ...argv], settings)

test('prints a row a delay, the counts by status and the hash', async (t) => {
  const { code, stdout, stderr } = await backtest(...GIVEN, ...LOOSE, '--delay', '1,10')
  t.is(code, 0, stderr)
  const lines = stdout.split('\n')
  t.regex(lines[0]!, /^delay +size +orders +exact +bounded +unpriced +not made +PnL low/)
  t.regex(
    lines[1]!,
    /^ *1 +0\.100000000 +2 +2 +0 +0 +0 +0\.049886220 +0\.049886220 +0\.102144280 +1\.0000/,
  )
  t.regex(lines[2]!, /^ *10 +0\.100000000 +2 +0 +0 +0 +2 +-0\.000105000 +-0\.000105000/)
  t.true(lines.includes('delay 10: failed:slippage 1, nothing_held 1'))
  t.regex(stdout, /\nresult [0-9a-f]{64}\n$/)
})

test('prints the answer of the API as JSON, and its trades as CSV', async (t) => {
  const json = JSON.parse((await backtest(...GIVEN, ...LOOSE, '--json')).stdout)
  t.like(json.runs[0], { orders: 2, pnl_lamports: { low: 49_886_220, high: 49_886_220 } })
  t.is(json.trades.length, 2)
  const { stdout } = await backtest(...GIVEN, ...LOOSE, '--csv')
  const [heading, ...rows] = stdout.trim().split('\r\n')
  t.regex(heading!, /^run,copies,wallet,mint/)
  t.is(rows.length, 2)
  t.true(rows[0]!.includes(json.trades[0].copies))
})

test('--leaders copies the first of the ranking as of a slot', async (t) => {
  const asOf = SLOTS.toSorted((a, b) => a - b)[Math.floor(SLOTS.length / 2)]!
  const later = ['--from', String(asOf + 1), '--size-sol', '0.1']
  const chosen = await backtest('--leaders', '3', '--leaders-slot', String(asOf), ...later)
  t.is(chosen.code, 0, chosen.stderr)
  const known = LAUNCHES.filter(({ slot }) => slot <= asOf)
  const ranks = ranksOf(known, { days: 7, mode: 'strict', isHonest: true })
  const wallets = ranks.slice(0, 3).map(({ wallet }) => wallet)
  t.is(wallets.length, 3)
  t.true(
    chosen.stdout.includes(`wallets that led as of slot ${asOf}: ${wallets.join(', ')}`),
    chosen.stdout,
  )
  const given = await backtest('--wallet', wallets.join(','), ...later)
  t.is(given.stdout.split('\nresult ')[1], chosen.stdout.split('\nresult ')[1])
})

test('refusals are wrong uses of the command', async (t) => {
  const refusals: [argv: string[], message: RegExp][] = [
    [[], /--wallet is missing/],
    [[...GIVEN, '--leaders', '3'], /exclude each other/],
    [['--leaders', '3', '--from', '1', '--size-sol', '1'], /--leaders-slot/],
    [
      ['--leaders', '3', '--leaders-slot', '9', '--from', '1', '--size-sol', '1'],
      /no wallet is ranked as of slot 9/,
    ],
    [
      ['--leaders', '3', '--leaders-slot', String(Math.min(...SLOTS) + 1), ...GIVEN.slice(2)],
      /after the first slot/,
    ],
    [['--leaders', '0', '--leaders-slot', '1', '--from', '1', '--size-sol', '1'], /top_n/],
    [['--wallet', LEADER, '--size-sol', '0.1'], /from_slot or from is required/],
    [['--wallet', LEADER, '--from', '1'], /size_lamports or ratio_ppm is required/],
    [[...GIVEN, '--delay', '65'], /delay_slots\[0\] "65": expected an integer of 0 to 64/],
    [[...GIVEN, '--delay', 'x'], /delay_slots\[0\]/],
    [[...GIVEN, '--size-sol', 'much'], /--size-sol "much"/],
    [[...GIVEN, '--set', 'slippage=5'], /slippage/],
    [[...GIVEN, '--set', 'slippage_bps'], /FIELD=VALUE/],
    [[...GIVEN, '--to', 'soon'], /--to "soon"/],
  ]
  for (const [argv, message] of refusals) {
    const { code, stderr } = await backtest(...argv)
    t.is(code, 2, argv.join(' '))
    t.regex(stderr, message)
  }
  t.is((await runHere(['backtest', 'leaders'], settings)).code, 2)
})
