// /v2/pnl/wallets/{wallet}/highlights: each is the position that a scan of all positions finds, in every mode.

import test from 'ava'
import type { PositionAnswer, PositionListAnswer } from '../../../../api/resources/pnl/schema.ts'
import type { HighlightsAnswer } from '../../../../api/resources/summary/schema.ts'
import { PNL_MODES } from '../../../../domain/wallet/pnl-mode.ts'
import { positionsOf } from '../../../simulation/models/ledger-model.ts'
import { apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger, insertPass, priceMints } from '../../../support/api/insert-ledger.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { asker } from '../../graphql/send-query.ts'
import { START_MS, swapsOf, type Trade } from '../pnl/ledger-swaps.ts'

const HOUR_MS = 3_600_000
const MINTS = 12

/** Two or three trades a mint, with equal gains, losses, flips and holds among them. */
const TRADES: Trade[] = Array.from({ length: MINTS }, (_, n) => n).flatMap((n) => {
  const atMs = START_MS + n * HOUR_MS
  const bought: Trade = { mint: n, isBuy: true, tokens: 10, sol: 5, atMs }
  const sold: Trade = {
    ...{ mint: n, isBuy: false, tokens: n % 3 === 0 ? 10 : 5 },
    ...{ sol: 1 + (n % 4) * 2, atMs: atMs + (1 + (n % 5)) * 60_000 },
  }
  return n % 6 === 5 ? [bought] : [bought, sold]
})

/** The first by mint of those for which the figure is greatest; null without any. */
function most<Row>(
  rows: readonly (Row & { mint: string })[],
  figureOf: (row: Row) => number | null,
) {
  const judged = rows.flatMap((row) => {
    const figure = figureOf(row)
    return figure === null ? [] : [{ figure, mint: row.mint }]
  })
  const greatest = Math.max(...judged.map(({ figure }) => figure))
  const [first] = judged
    .filter(({ figure }) => figure === greatest)
    .map((each) => each.mint)
    .sort()
  return first ?? null
}

test('each highlight is the position that a scan finds, as the list of positions shows it', async (t) => {
  const api = await apiUnderTest(t)
  const swaps = swapsOf(TRADES)
  await insertLedger(api.db, swaps)
  for (let n = 0; n < MINTS - 2; n++) await priceMints(api.db, { [mint(n)]: (n % 4) / 10 })
  const model = [...positionsOf(swaps)].map(([own, position]) => ({ mint: own, ...position }))
  const wallet = trader(1)
  for (const mode of PNL_MODES) {
    const path = `/v2/pnl/wallets/${wallet}`
    const { body } = await api.get(`${path}/highlights?pnl_mode=${mode}`)
    const answer = body as unknown as HighlightsAnswer
    const list = await api.get(`${path}/positions?status=all&limit=200&pnl_mode=${mode}`)
    const { positions } = list.body as unknown as PositionListAnswer
    const shown = (own: string | null): PositionAnswer | null =>
      positions.find((position) => position.mint === own) ?? null
    const realized = (sign: 1 | -1) => (row: (typeof model)[number]) => {
      const own = Number(row.realized[mode]) * sign
      return own > 0 ? own : null
    }
    t.deepEqual(answer.biggest_win, shown(most(model, realized(1))), mode)
    t.deepEqual(answer.biggest_loss, shown(most(model, realized(-1))), mode)
    t.deepEqual(answer.fastest_flip, shown(most(model, (row) => negative(row.fastestFlipMs))), mode)
    t.deepEqual(answer.longest_hold, shown(most(model, (row) => row.longestHoldMs)), mode)
    const bag = most(positions, (row) => (row.qty > 0 ? row.current_value_sol : null))
    t.deepEqual(answer.biggest_bag, shown(bag), mode)
    t.not(answer.biggest_bag, null)
  }
})

const negative = (ms: number | null): number | null => (ms === null ? null : -ms)

test('a reconciled wallet has its bag on chain; an unknown one has nothing; GraphQL agrees', async (t) => {
  const api = await apiUnderTest(t)
  const trades: Trade[] = [1, 2].map((n) => ({ mint: n, isBuy: true, tokens: n, sol: 1 }))
  await insertLedger(api.db, swapsOf(trades))
  await priceMints(api.db, { [mint(1)]: 1, [mint(2)]: 1 })
  await insertPass(api.db, trader(1), { [mint(1)]: 1_000_000 })
  const path = `/v2/pnl/wallets/${trader(1)}/highlights`
  const { body } = await api.get(path)
  t.like(body, { biggest_bag: { mint: mint(1) }, biggest_win: null, fastest_flip: null })
  const { send } = await asker(api)
  const { data } = await send(
    `{ walletHighlights(wallet: "${trader(1)}") { biggest_bag { mint qty } biggest_loss { mint } } }`,
  )
  const expected = { biggest_bag: { mint: mint(1), qty: 1 }, biggest_loss: null }
  t.deepEqual(JSON.parse(JSON.stringify(data)), { walletHighlights: expected })
  const { body: nothing } = await api.get(`/v2/pnl/wallets/${trader(9)}/highlights`)
  t.like(nothing, { biggest_win: null, biggest_bag: null, longest_hold: null })
  t.is((await api.get('/v2/pnl/wallets/nonsense/highlights')).status, 400)
  t.is((await api.call(path)).status, 401)
})
