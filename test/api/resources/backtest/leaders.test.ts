/** POST /v2/backtest/copy with leaders: the first wallets of the ranking as of a slot, which nothing after it changes. */
import test from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { ranksOf } from '../../../simulation/models/leaderboard-model.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { LAUNCHES } from '../../../support/market/launches.ts'

const SLOTS = LAUNCHES.map(({ slot }) => slot).sort((a, b) => a - b)
const LAST = SLOTS.at(-1)!
const AS_OF = SLOTS[Math.floor(SLOTS.length / 2)]!
const KNOWN = LAUNCHES.filter(({ slot }) => slot <= AS_OF)
const QUESTION = { from_slot: AS_OF + 1, to_slot: LAST, size_lamports: 100_000_000 }

/** Fewer than the swaps of all wallets that trade after the slot, too. */
const under = apiForFile({ foldedSwapsMax: 5_000 })
const bounded = apiForFile({ foldedSwapsMax: 3 })
let key = ''

test.serial.before(async () => {
  await insertLedger(under().db, LAUNCHES)
  const wanted = { tier: 'enterprise', environment: 'test', account: 'lead', by: 'test' } as const
  key = (await createKey(under().db, wanted)).key
})

type Copies = {
  selection: string
  leaders: Record<string, unknown> & { wallets: string[] }
  runs: object[]
  result_hash: string
}

async function post(body: object, from = { url: under().api.url, key }) {
  const response = await fetch(`${from.url}/v2/backtest/copy`, {
    method: 'POST',
    headers: { 'X-API-Key': from.key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) as Copies }
}

test('the leaders are those that led at the slot, copied as if they were given', async (t) => {
  const leaders = { as_of_slot: AS_OF, period: '1d', pnl_mode: 'strict', top_n: 7 }
  const { status, text, body } = await post({ ...QUESTION, leaders })
  t.is(status, 200, text)
  const ranks = ranksOf(KNOWN, { days: 1, mode: 'strict', isHonest: true })
  const wallets = ranks.slice(0, 7).map(({ wallet }) => wallet)
  t.is(body.selection, 'as_of')
  t.deepEqual(body.leaders, { ...leaders, wallets })
  const later = ranksOf(LAUNCHES, { days: 1, mode: 'strict', isHonest: true })
  t.notDeepEqual(
    later.slice(0, 7).map(({ wallet }) => wallet),
    wallets,
    'other wallets lead afterwards',
  )
  const given = await post({ ...QUESTION, wallets })
  t.is(given.body.result_hash, body.result_hash)
  t.like(given.body, { selection: 'given', leaders: null })
  t.deepEqual(given.body.runs, body.runs)
})

test('refuses leaders of a slot after the first, with wallets, and of a time without any', async (t) => {
  const [wallet] = KNOWN.map(({ user }) => user)
  for (const [body, status, reason] of [
    [{ leaders: { as_of_slot: AS_OF + 2 } }, 400, /after the first slot/],
    [{ leaders: { as_of_slot: AS_OF }, wallets: [wallet] }, 400, /exclude each other/],
    [{}, 400, /wallets or leaders is required/],
    [{ leaders: { as_of_slot: LAST + 9 } }, 400, /above the newest indexed slot/],
    [{ leaders: { as_of_slot: SLOTS[0]! - 1 } }, 400, /no wallet is ranked as of slot/],
    [{ leaders: { as_of_slot: AS_OF, top_n: 21 } }, 400, /top_n/],
  ] as const) {
    const answer = await post({ ...QUESTION, ...body })
    t.is(answer.status, status, answer.text)
    t.regex(answer.text, reason)
  }
})

test('refuses a ranking that folds too much, with the job that does', async (t) => {
  const { db, api } = bounded()
  await insertLedger(db, LAUNCHES)
  const wanted = { tier: 'enterprise', environment: 'test', account: 'lead', by: 'test' } as const
  const from = { url: api.url, key: (await createKey(db, wanted)).key }
  const { status, text } = await post({ ...QUESTION, leaders: { as_of_slot: AS_OF } }, from)
  t.is(status, 422, text)
  t.regex(text, /"AS_OF_TOO_COSTLY".*POST \/v2\/asof\/leaderboard, and give its wallets/)
})
