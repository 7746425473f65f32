/**
 * Meanings of a text: every kind, whole and by prefix, and their order; then refusals and warnings.
 */

import test from 'ava'
import fc from 'fast-check'
import { search } from '../../../../api/resources/search/read.ts'
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import { refreshSearchKeys } from '../../../../workers/search-keys.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const under = apiForFile()

/** Symbol, name, and how many swaps. */
const TOKENS: [string | null, string | null, number][] = [
  ['PEPE', 'Pepe the first', 1],
  ['pepe', 'Copy', 30],
  ['PEPE2', 'Pepe again', 9],
  ['DOGE', 'PEPE', 2],
  [null, 'Pepperoni', 1],
  ['ÉPÉE', 'Ääkkönen 100%_', 1],
  [null, null, 1],
  ['caf\u00e9 Stra\u00dfe', null, 1],
  ['BONK', 'Bonk', 1],
  ['BO\u200bN\u202eK', null, 1],
  ['B\u043enk', null, 1],
  [null, '\ufdfa'.repeat(31), 1],
  ['$WIF', 'dogwifhat', 1],
]

/** Addresses of 43 and 44 characters; many begin alike: a division by 58 removes the last character. */
const WALLETS = Array.from({ length: 60 }, (_, n) => {
  const long = 4n * 58n ** 43n + BigInt(n % 20) * 58n ** BigInt(41 - (n % 3))
  const bytes = (n % 2 === 0 ? long : long / 58n + BigInt(n)).toString(16).padStart(64, '0')
  return encodeBase58(Buffer.from(bytes, 'hex'))
})

test.before(async () => {
  await under().db.query('insert into wallet (address) select unnest($1::text[])', [
    [...new Set(WALLETS)],
  ])
  const swaps = TOKENS.flatMap(([, , count], token) =>
    Array.from({ length: count }, (_, n) =>
      sampleSwap({
        signature: signatureOf(token * 100 + n),
        slot: 1_000 + n,
        tokenAddress: mint(token),
        pairAddress: pair(token),
        user: trader(token),
        dex: 4,
      }),
    ),
  )
  await insertSwaps(under().db, swaps, { hasPrices: true })
  for (const [token, [symbol, name]] of TOKENS.entries()) {
    await under().db.query('update token set symbol = $2, name = $3 where address = $1', [
      mint(token),
      symbol,
      name,
    ])
  }
  await refreshSearchKeys(under().db)
  await under().db.query(
    "insert into kol (wallet, display_name, twitter_handle) values ($1, 'Famous', 'famous')",
    [trader(2)],
  )
})

type Result = { kind: string; id: string; label: string; score: number; name_flags: string[] }

async function found(text: string, more = ''): Promise<Result[]> {
  const {
    status,
    body,
    text: raw,
  } = await under().get(`/search?q=${encodeURIComponent(text)}${more}`)
  if (status !== 200) throw new Error(raw)
  const results = body.results as unknown as Result[]
  const scores = results.map(({ score }) => score)
  if (scores.some((score, n) => score > (scores[n - 1] ?? 1) || score <= 0)) {
    throw new Error(`not the best first: ${scores}`)
  }
  return results
}

const ids = (results: readonly Result[]): string[] => results.map(({ id }) => id)

test('a short list begins like a long one: with the most traded', async (t) => {
  const begun = pair(0).slice(0, -1)
  const all = await found(begun)
  t.is(all.length, TOKENS.length)
  t.is(all[0]?.id, pair(1))
  for (const limit of [1, 2, 3])
    t.deepEqual(await found(begun, `&limit=${limit}`), all.slice(0, limit))
})

test('whole symbols come first, the one that trades most before all, then names, then beginnings', async (t) => {
  const whole = [1, 0, 3, 2].map(mint)
  for (const text of ['pepe', 'PEPE', ' PePe ']) t.deepEqual(ids(await found(text)), whole, text)
  t.deepEqual(
    (await found('pepe')).map(({ kind, label }) => [kind, label]),
    [
      ['token', 'pepe (Copy)'],
      ['token', 'PEPE (Pepe the first)'],
      ['token', 'DOGE (PEPE)'],
      ['token', 'PEPE2 (Pepe again)'],
    ],
  )
})

test('a prefix of a name or symbol matches in any case and script', async (t) => {
  t.deepEqual(ids(await found('peppe')), [mint(4)])
  t.deepEqual(ids(await found('épé')), [mint(5)])
  t.deepEqual(ids(await found('ÄÄKKÖNEN')), [mint(5)])
  t.deepEqual(ids(await found('pepe t')), [mint(0)])
})

test('finds a name as it is displayed: composed or not, in any width, with any invisible characters', async (t) => {
  const spellings = [
    ...[
      'caf\u00e9 strasse',
      'cafe\u0301 STRASSE',
      'CAFE\u0301\u00a0Stra\u00dfe',
      '\uff23AF\u00c9 stra',
    ],
    ...['\u200bca\u200dfe\u0301 \u202estra\u202c', ' "Caf\u00e9 strasse" ', 'caf', 'cafe\u0301\n'],
  ]
  for (const text of spellings) t.deepEqual(ids(await found(text)), [mint(7)], JSON.stringify(text))
  t.deepEqual(await found('cafe strasse'), [], 'an accent that people see is part of the name')
})

test('a token that pretends to be another is found under its name, with a flag', async (t) => {
  const results = await found('bonk')
  t.deepEqual(ids(results).toSorted(), [mint(8), mint(9)].toSorted())
  const flagsOf = (token: number) => results.find(({ id }) => id === mint(token))?.name_flags
  t.deepEqual(flagsOf(8), [])
  t.deepEqual(flagsOf(9), ['invisible', 'bidi'])
  const [pool] = await found(pair(9))
  t.deepEqual(pool?.name_flags, ['invisible', 'bidi'])
  // The stored text is returned verbatim.
  t.is(pool?.label, 'BO\u200bN\u202eK/SOL on venue_4')
  const [cyrillic] = await found('b\u043enk')
  t.like(cyrillic, { id: mint(10), name_flags: ['mixed_script'] })
  const intel = await under().get(`/tokens/${mint(10)}/intel`)
  t.deepEqual(intel.body.name_flags as unknown, ['mixed_script'])
})

test('a name of many characters is compared to the last of them', async (t) => {
  // Each of these characters is eighteen in a key, of which 200 are stored.
  t.deepEqual(ids(await found('\ufdfa'.repeat(30))), [mint(11)])
  t.deepEqual(await found(`${'\ufdfa'.repeat(30)}x`), [])
})

test('signs that mean something to databases mean themselves', async (t) => {
  t.deepEqual(ids(await found('ääkkönen 100%_')), [mint(5)])
  for (const text of ['%', '_', '100%', "'", '\\', '*', '--', '\u{10ffff}']) {
    t.deepEqual(await found(text), [], text)
  }
})

test('finds addresses whole and by prefix, each with its kind', async (t) => {
  for (const [kind, id] of [
    ['token', mint(3)],
    ['pool', pair(3)],
    ['wallet', trader(3)],
  ] as const) {
    const [first, ...others] = await found(id)
    t.like(first, { kind, id, score: 1 })
    t.deepEqual(others, [])
    const begun = await found(id.slice(0, 30))
    t.true(begun.length > 1 && begun.every((each) => each.kind === kind && each.score < 0.5))
    t.true(ids(begun).includes(id))
  }
  const [unnamed] = await found(mint(6))
  t.is(unnamed?.label, mint(6))
  const [pool] = await found(pair(3))
  t.is(pool?.label, 'DOGE/SOL on venue_4')
  const [wallet] = await found(trader(2))
  t.is(wallet?.label, 'Famous')
  t.deepEqual(await found(mint(3).toLowerCase()), [], 'addresses have their case')
})

test('a signature is found whole', async (t) => {
  const id = signatureOf(101)
  t.deepEqual(await found(id), [
    { kind: 'transaction', id, label: 'transaction with a swap', score: 1, name_flags: [] },
  ])
  t.deepEqual(await found(id.slice(0, -1)), [])
  t.deepEqual(await found(signatureOf(9_999)), [])
})

/** URLs as people paste them, and what the first result of each is. */
const URLS: [url: string, kind: string, id: string][] = [
  [`https://solscan.io/token/${mint(3)}`, 'token', mint(3)],
  [
    `https://solscan.io/token/${mint(3)}?activity_type=ACTIVITY_TOKEN_SWAP#holders`,
    'token',
    mint(3),
  ],
  [`https://solscan.io/account/${trader(3)}`, 'wallet', trader(3)],
  [`https://solscan.io/tx/${signatureOf(101)}`, 'transaction', signatureOf(101)],
  [`https://explorer.solana.com/address/${pair(3)}?cluster=mainnet-beta`, 'pool', pair(3)],
  [
    `https://explorer.solana.com/tx/${signatureOf(101)}?cluster=custom&customUrl=http%3A%2F%2Flocalhost`,
    'transaction',
    signatureOf(101),
  ],
  [`https://birdeye.so/token/${mint(3)}/${pair(3)}?chain=solana`, 'token', mint(3)],
  [`https://dexscreener.com/solana/${pair(3)}?maker=${trader(2)}`, 'pool', pair(3)],
  [`https://gmgn.ai/sol/token/x7Yz_${mint(3)}`, 'token', mint(3)],
  [`gmgn.ai/sol/address/${trader(3)}/`, 'wallet', trader(3)],
  [`https://pump.fun/coin/${mint(3)}`, 'token', mint(3)],
  [
    `https://raydium.io/swap/?inputMint=So11111111111111111111111111111111111111112&outputMint=${mint(3)}`,
    'token',
    mint(3),
  ],
  [`https://jup.ag/swap/SOL-${mint(3)}`, 'token', mint(3)],
  [
    `https://out.example/?to=https%253A%252F%252Fsolscan.io%252Ftoken%252F${mint(3)}`,
    'token',
    mint(3),
  ],
  [`http://127.0.0.1:8080/token/${mint(3)}?pool=${pair(3)}&wallet=${trader(3)}`, 'token', mint(3)],
  [`https://tide.example/wallet/${trader(3)}?period=all&lots=${mint(3)}`, 'wallet', trader(3)],
  [`https://tide.example/tx/${signatureOf(101)}`, 'transaction', signatureOf(101)],
  [`https://tide.example/v2/pnl/wallets/${trader(3)}/positions/${mint(3)}`, 'wallet', trader(3)],
  [` "https://solscan.io/token/${mint(3)}"\u200b`, 'token', mint(3)],
  [`<https://solscan.io/token/${mint(3)}>`, 'token', mint(3)],
  [`solana:${trader(3)}?amount=1`, 'wallet', trader(3)],
  [`CA: ${mint(3)} (DOGE)`, 'token', mint(3)],
]

test('a pasted URL is searched for the address or signature in it', async (t) => {
  for (const [url, kind, id] of URLS) t.like((await found(url))[0], { kind, id, score: 1 }, url)
  const own = await found(`http://127.0.0.1/token/${mint(3)}?pool=${pair(3)}&wallet=${trader(3)}`)
  t.deepEqual(ids(own), [mint(3), pair(3), trader(3)], 'in the order of the URL')
  t.deepEqual(ids(await found(`${pair(3)}/${mint(3)}`)), [pair(3), mint(3)])
})

test('a URL without an address that is indexed finds nothing', async (t) => {
  for (const url of [
    'https://solscan.io/',
    'https://explorer.solana.com/block/250000000',
    `https://solscan.io/token/${mint(99)}`,
    `https://solscan.io/tx/${signatureOf(9_999)}`,
    `https://solscan.io/token/${mint(3).slice(0, -2)}`,
    `https://solscan.io/token/${mint(3)}x`,
    `https://solscan.io/token/${'%2'.repeat(900)}`,
  ])
    t.deepEqual(await found(url), [], url)
})

test('a "$" before a symbol makes no difference', async (t) => {
  for (const text of ['$pepe', '$PEPE', ' "$pepe" ', '\uff04pepe', '$ pepe', '#pepe'])
    t.deepEqual(ids(await found(text)), [1, 0, 3, 2].map(mint), text)
  for (const text of ['wif', '$wif', '$WI', 'WIF'])
    t.deepEqual(ids(await found(text)), [mint(12)], text)
  t.deepEqual(ids(await found('$')), [mint(12)])
  t.true((await found('$wif')).every(({ score }) => score > 0.9))
})

test('a limit leaves the best', async (t) => {
  const all = await found('pep')
  t.is(all.length, 5)
  for (const limit of [1, 2, 5, 100]) {
    t.deepEqual(await found('pep', `&limit=${limit}`), all.slice(0, limit))
  }
})

test('for any query fewer results are the first of more', async (t) => {
  t.deepEqual([...new Set(WALLETS.map(({ length }) => length))].sort(), [43, 44])
  const texts = fc.oneof(
    fc
      .tuple(fc.constantFrom(...WALLETS, pair(1), trader(1)), fc.integer({ min: 1, max: 44 }))
      .map(([address, length]) => address.slice(0, length)),
    fc.constantFrom('p', 'pep', 'PEPE', 'doge', '1', '5'),
  )
  const limits = fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 }))
  const property = fc.asyncProperty(texts, limits, async (text, [some, more]) => {
    const fewer = await search(under().db, text, Math.min(some, more))
    const all = await search(under().db, text, Math.max(some, more))
    t.deepEqual(fewer, all.slice(0, Math.min(some, more)), text)
  })
  await fc.assert(property, { numRuns: 300, endOnFailure: true })
})

test('warns only of unknown parameters', async (t) => {
  const { status, body } = await under().get('/search?q=doge&kind=token&mints[]=x')
  t.is(status, 200)
  t.deepEqual(body.warnings, [
    'unsupported parameter "kind": it was ignored',
    'unsupported parameter "mints[]": it was ignored',
  ])
  const { body: quiet } = await under().call(`/search?q=doge&api_key=${under().key}`)
  t.deepEqual(quiet.warnings, [])
})

const REFUSED: [string, RegExp][] = [
  ['', /^q is required$/],
  ['q=', /^q "": expected 1 to 2048 characters, none of control$/],
  ['q=%00', /none of control$/],
  [`q=${'a'.repeat(2_049)}`, /^q "a{100}\.\.\.": expected 1 to 2048 characters/],
  ['q=a&q=b', /^q is given 2 times/],
  ['q=a&limit=0', /^limit "0": expected an integer of 1 to 100$/],
  ['q=a&limit=101', /^limit "101": expected an integer of 1 to 100$/],
]

for (const [query, text] of REFUSED) {
  test(`/search?${query.slice(0, 20)} is refused with a text`, async (t) => {
    const { status, body } = await under().get(`/search?${query}`)
    t.is(status, 400)
    t.deepEqual(Object.keys(body), ['success', 'data', 'error'])
    t.is(body.data as unknown, null)
    t.regex(body.error as string, text)
  })
}

test('a search requires a key', async (t) => {
  const { status, body } = await under().call('/search?q=doge')
  t.is(status, 401)
  t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
})
