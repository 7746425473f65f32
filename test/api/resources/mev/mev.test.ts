/** /v2/mev: recorded sandwiches to the lamport, refused brackets, sums, back-runs, refusals, and the same by GraphQL and as CSV. */
import test from 'ava'
import { followSandwiches } from '../../../../workers/sandwiches/follow.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { decodeChainFile } from '../../../support/chain/real-chain.ts'
import { FormulaPool } from '../../../support/market/formula-pool.ts'
import { LAUNCHES } from '../../../support/market/launches.ts'
import { mint, pair, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { asker } from '../../graphql/send-query.ts'

const under = apiForFile()
const ofBlock = apiForFile()
const BLOCK = decodeChainFile('block_285000037.json.gz').events.flatMap((event) =>
  event.kind === 'swap' ? [event.swap] : [],
)
const VOLUME_SLOT = 285_000_037
const SOL = 1_000_000_000n
const LOSSES = [33_361_840, 34_725_604, 38_192_316, 811_674, 167_852_208, 50_666_920]
const LOSS = LOSSES.reduce((sum, loss) => sum + loss, 0)
const PROFIT = 206_438_020

/** A buy in one pool, and a wallet that sells there and buys in another in one transaction, with a profit. */
function arbitrage() {
  const reserves = { sol: 1_000n * SOL, tokens: 10n ** 15n }
  const dear = new FormulaPool({ ...reserves, dex: 3, pair: 70 })
  const cheap = new FormulaPool({ ...reserves, dex: 3, pair: 71 })
  const at = { slot: 300_000_000, tokenAddress: mint(70) }
  const pushed = dear.buy(50n * SOL, { ...at, blockTxIndex: 5, user: trader(71) })
  const own = { ...at, blockTxIndex: 6, user: trader(72), signature: signatureOf(72) }
  const bought = cheap.buy(20n * SOL, { ...own, ixIndex: 1 })
  const sold = dear.sell(BigInt(bought.tokenAmount), { ...own, ixIndex: 2 })
  return { pushed, bought, sold }
}
const ARBITRAGE = arbitrage()

const first = LAUNCHES.find(({ signature }) => signature.startsWith('CCnD5NXV'))
const front = first ?? LAUNCHES[0]!

test.serial.before(async () => {
  const { db } = under()
  await insertSwaps(db, [...LAUNCHES, ...BLOCK, ...Object.values(ARBITRAGE)])
  await followSandwiches(db, new AbortController().signal)
  await insertSwaps(ofBlock().db, BLOCK)
  await followSandwiches(ofBlock().db, new AbortController().signal)
})

const get = async (path: string) => {
  const { status, text } = await under().get(path)
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
  return JSON.parse(text)
}

test('the victims of the recorded sandwich lose to the lamport what they would not have paid', async (t) => {
  const { data, next_cursor } = await get('/v2/mev/sandwiches')
  t.is(next_cursor, null)
  t.is(data.length, 1)
  const [{ legs, ...sandwich }] = data
  t.deepEqual(sandwich, {
    ...{ pair_address: front.pairAddress, token_address: front.tokenAddress, dex: 1 },
    ...{ slot: 366_663_135, last_slot: 366_663_135, timestamp: front.timestamp },
    ...{ verdict: 'sandwich', link: 'wallet', width: 'slot', repeats: 1, is_counted: true },
    ...{ attackers: [front.user], victims: 6, loss_lamports: { low: LOSS, high: LOSS } },
    ...{ gain_of_others_lamports: 81_145_863, profit_lamports: PROFIT },
    profit_excludes: ['tips', 'network_fees'],
  })
  t.deepEqual(
    legs.flatMap(({ role, loss }: { role: string; loss: { low: number } }) =>
      role === 'victim' ? [loss.low] : [],
    ),
    LOSSES,
  )
  t.is(legs[0].role, 'front')
  t.is(legs.at(-1).role, 'back')
})

test('a transaction has its part with the loss and the sandwich, by GraphQL as by REST', async (t) => {
  const [{ legs }] = (await get('/v2/mev/sandwiches')).data
  const victim = legs[1]
  const answer = await get(`/v2/mev/tx/${victim.signature}`)
  t.is(answer.status, 'settled')
  t.is(answer.swaps.length, 1)
  const [swap] = answer.swaps
  t.is(swap.role, 'victim')
  t.deepEqual(swap.loss, { basis: 'exact', low: LOSSES[0], high: LOSSES[0] })
  t.is(swap.sandwich.profit_lamports, PROFIT)
  const [own] = (await get(`/v2/mev/tx/${front.signature}`)).swaps
  t.like(own, { role: 'front', loss: null, backrun: null })
  const { send } = await asker(under())
  const { data } = await send(`{ mevTransaction(signature: "${victim.signature}") {
    status swaps { role loss { basis low high } sandwich { victims profit_lamports } }
  } }`)
  t.deepEqual(data, {
    mevTransaction: {
      status: 'settled',
      swaps: [
        { role: 'victim', loss: swap.loss, sandwich: { victims: 6, profit_lamports: PROFIT } },
      ],
    },
  })
})

test('wide sandwiches are listed on request and not counted, refused brackets with the reason', async (t) => {
  const { data } = await get('/v2/mev/sandwiches?include=wide')
  t.is(data.length, 5)
  const wide = data.filter(({ width }: { width: string }) => width === 'wide')
  t.is(wide.length, 4)
  t.true(wide.every(({ is_counted }: { is_counted: boolean }) => !is_counted))
  t.is((await get('/v2/mev/sandwiches?include=wide&width=wide')).data.length, 4)
  const all = await get('/v2/mev/sandwiches?rejected=true&limit=200')
  const refused = all.data.filter(({ slot }: { slot: number }) => slot === VOLUME_SLOT)
  t.is(refused.length, 10)
  t.is(JSON.stringify(refused).match(/"verdict":"unprofitable"/g)?.length, 10)
  const victims = refused.map((row: { victims: number }) => row.victims)
  t.is(
    victims.reduce((sum: number, own: number) => sum + own, 0),
    86,
  )
  t.true(refused.every(({ repeats }: { repeats: number }) => repeats === 0))
})

test('brackets of the newest slot are shown, and as of it, before and after later swaps', async (t) => {
  const path = '/v2/mev/sandwiches?rejected=true&limit=200'
  const asOf = `&as_of_slot=${VOLUME_SLOT}`
  const read = async (given: string) => JSON.parse((await ofBlock().get(given)).text)
  const { data } = await read(path)
  t.is(data.length, 10)
  t.deepEqual((await read(`${path}${asOf}`)).data, data)
  const transaction = `/v2/mev/tx/${data[0].legs[0].signature}`
  t.is((await read(transaction)).status, 'pending')
  const [swap] = BLOCK
  await insertSwaps(ofBlock().db, [
    {
      ...swap!,
      signature: signatureOf(80),
      slot: VOLUME_SLOT + 16,
      tokenAddress: mint(80),
      pairAddress: pair(80),
    },
  ])
  await followSandwiches(ofBlock().db, new AbortController().signal)
  t.is((await read(transaction)).status, 'settled')
  t.deepEqual((await read(path)).data, data)
  t.deepEqual((await read(`${path}${asOf}`)).data, data)
  t.is((await read(`${transaction}?${asOf.slice(1)}`)).status, 'pending')
  t.deepEqual((await read(`${path}&as_of_slot=${VOLUME_SLOT + 16}`)).data, data)
})

test('pages in either order are the whole list', async (t) => {
  const path = '/v2/mev/sandwiches?include=wide'
  const whole = (await get(path)).data
  for (const order of ['asc', 'desc']) {
    const rows: unknown[] = []
    for (let cursor = ''; ; ) {
      const page = await get(`${path}&order=${order}&limit=2${cursor}`)
      rows.push(...page.data)
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    t.deepEqual(order === 'desc' ? rows : rows.reverse(), whole)
  }
})

test('each filter leaves the rows that it states', async (t) => {
  const count = async (filter: string): Promise<number> =>
    (await get(`/v2/mev/sandwiches?${filter}`)).data.length
  const [{ legs }] = (await get('/v2/mev/sandwiches')).data
  for (const [filter, rows] of [
    [`attacker=${front.user}`, 1],
    [`wallet=${front.user}`, 0],
    [`wallet=${legs[1].wallet}`, 1],
    [`pair_address=${front.pairAddress}`, 1],
    [`token_address=${front.tokenAddress}`, 1],
    [`token_address=${mint(70)}`, 0],
    ['dex=1', 1],
    ['dex=2', 0],
    [`min_loss_lamports=${LOSS}`, 1],
    [`min_loss_lamports=${LOSS + 1}`, 0],
    [`from=${front.timestamp}&to=${front.timestamp}`, 1],
    [`from=${front.timestamp + 1}`, 0],
    ['width=tight', 0],
  ] as const) {
    t.is(await count(filter), rows, filter)
  }
})

test('sums by every key are the sandwich, and all of them with the wide ones', async (t) => {
  const total = {
    ...{ sandwiches: 1, victims: 6, loss_lamports: { low: LOSS, high: LOSS } },
    ...{ exact_share: 1, profit_lamports: PROFIT },
  }
  const day = new Date(front.timestamp).toISOString().slice(0, 10)
  for (const [by, key] of [
    ['day', day],
    ['token', front.tokenAddress],
    ['pool', front.pairAddress],
    ['attacker', front.user],
    ['dex', '1'],
  ]) {
    const answer = await get(`/v2/mev/summary?by=${by}`)
    t.like(answer, { by, total })
    t.is(answer.rows.length, 1, by)
    t.like(answer.rows[0], { key, ...total })
  }
  const byWallet = (await get('/v2/mev/summary?by=wallet')).rows
  const losses = byWallet.map((row: { loss_lamports: { low: number } }) => row.loss_lamports.low)
  t.is(
    losses.reduce((sum: number, loss: number) => sum + loss, 0),
    LOSS,
  )
  t.is((await get('/v2/mev/summary?include=wide')).total.sandwiches, 5)
  t.is((await get(`/v2/mev/summary?to=${front.timestamp}`)).complete, true)
  t.is((await get('/v2/mev/summary?dex=2')).total.exact_share, null)
})

test('a wallet has what it lost and what it took', async (t) => {
  const made = { sandwiches: 1, victims: 6, profit_lamports: PROFIT }
  const attacker = await get(`/v2/mev/wallets/${front.user}`)
  t.like(attacker.made, made)
  t.like(attacker.suffered, { sandwiches: 0, victims: 0, exact_share: null })
  t.like(attacker.days[0], {
    complete: true,
    day: new Date(front.timestamp).toISOString().slice(0, 10),
  })
  t.like(attacker.days[0].made, made)
  const [{ legs }] = (await get('/v2/mev/sandwiches')).data
  const victim = await get(`/v2/mev/wallets/${legs[1].wallet}`)
  t.is(victim.suffered.loss_lamports.low, LOSSES[0])
  t.like(await get(`/v2/mev/wallets/${trader(9)}`), { days: [], complete: true })
})

test('an arbitrage directly after a swap is a back-run and takes nothing', async (t) => {
  const { swaps } = await get(`/v2/mev/tx/${ARBITRAGE.sold.signature}`)
  const roles = swaps.map(({ role }: { role: string | null }) => role)
  t.deepEqual(roles, [null, 'backrun'])
  const profit = Number(ARBITRAGE.sold.solAmount) - Number(ARBITRAGE.bought.solAmount)
  t.deepEqual(swaps[1].backrun, {
    after: ARBITRAGE.pushed.signature,
    profit_lamports: profit,
  })
  const [pushed] = (await get(`/v2/mev/tx/${ARBITRAGE.pushed.signature}`)).swaps
  t.like(pushed, { role: null, loss: null, sandwich: null })
})

test.serial(
  'swaps that are still to be searched make an answer pending and a day incomplete',
  async (t) => {
    const { db } = under()
    await db.query('insert into sandwich_due (first_slot, last_slot) values ($1, $1)', [
      front.slot + 4,
    ])
    const { status } = await get(`/v2/mev/tx/${front.signature}`)
    const { complete, rows } = await get('/v2/mev/summary')
    await db.query('delete from sandwich_due')
    t.deepEqual([status, complete, rows[0].complete], ['pending', false, false])
    const newest = LAUNCHES.reduce((most, swap) => (swap.slot > most.slot ? swap : most), front)
    t.is((await get(`/v2/mev/tx/${newest.signature}`)).status, 'pending')
  },
)

test('rows as CSV, and refusals', async (t) => {
  const { text } = await under().get('/v2/mev/summary?by=token', { accept: 'text/csv' })
  t.regex(text, /^key,/)
  for (const [path, status] of [
    [`/v2/mev/tx/${signatureOf(999)}`, 404],
    ['/v2/mev/tx/x', 400],
    ['/v2/mev/summary?by=hour', 400],
    ['/v2/mev/sandwiches?width=narrow', 400],
    ['/v2/mev/sandwiches?cursor=x', 400],
    ['/v2/mev/sandwiches?limit=201', 400],
    ['/v2/mev/wallets/x', 400],
  ] as const) {
    t.is((await under().get(path)).status, status, path)
  }
})
