// Lines of operators' files: their two forms, the fields of each, and the reasons of refusals; KOLs and tokens parsed
// from them.

import test from 'ava'
import { kolOf } from '../../../streams/ingest/kol-line.ts'
import { operatorLines } from '../../../streams/ingest/operator-line.ts'
import { sectorOfRow, TOKEN_INTEGERS, tokenOfRow } from '../../../streams/ingest/token-row.ts'

const WALLET = '7qbRF6YsyGuLUVs6Y1q64bdVrfe4ZcUUz1JRdoVNUJnm'

test('reads CSV by its header in any order of columns', (t) => {
  const read = operatorLines(['wallet', 'display_name'])
  t.is(read('twitter_handle, wallet ,display_name\r'), 'header')
  t.deepEqual(read('ann,w1,"Ann, the ""first"""\r'), {
    fields: { twitter_handle: 'ann', wallet: 'w1', display_name: 'Ann, the "first"' },
  })
  t.deepEqual(read(',w2, Bob '), {
    fields: { twitter_handle: '', wallet: 'w2', display_name: 'Bob' },
  })
})

test('NDJSON is read line by line, integers to the last digit, null as absent', (t) => {
  const read = operatorLines(['mint'], new Set(['supply']))
  t.deepEqual(read('{"mint":"m","supply":9007199254740993,"name":null,"symbol":""}'), {
    fields: { mint: 'm', supply: 9007199254740993n, symbol: '' },
  })
  t.like(read('mint,supply'), { refusals: [{ field: 'line', reason: 'expected a JSON object' }] })
  t.deepEqual(read('{"mint":"n"}'), { fields: { mint: 'n' } })
})

test('refuses a broken line without affecting later ones', (t) => {
  const read = operatorLines(['mint', 'sector'])
  read('mint,sector')
  const cases: [string, RegExp][] = [
    ['a', /^expected 2 cells as in the header, found 1$/],
    ['a,b,c', /^expected 2 cells as in the header, found 3$/],
    ['a,"b', /^expected cells of CSV on one line$/],
    ['a,b"c', /^expected cells of CSV on one line$/],
  ]
  for (const [text, reason] of cases) {
    const line = read(text)
    if (line === 'header' || 'fields' in line) return t.fail(text)
    t.is(line.refusals.length, 1)
    t.is(line.refusals[0]?.field, 'line')
    t.regex(line.refusals[0]?.reason ?? '', reason)
  }
  t.deepEqual(read('a,b'), { fields: { mint: 'a', sector: 'b' } })
})

test('refuses an invalid header', (t) => {
  for (const header of ['wallet', `${WALLET},Ann`, 'wallet,wallet,display_name', 'a,b']) {
    const line = operatorLines(['wallet', 'display_name'])(header)
    t.like(line, { refusals: [{ field: 'header', value: `"${header}"` }] }, header)
  }
})

test('a KOL has a wallet, a name, and perhaps a handle, without its @', (t) => {
  const kol = { wallet: WALLET, displayName: 'Ann', twitterHandle: undefined }
  t.deepEqual(kolOf({ wallet: WALLET, display_name: ' Ann ' }), { kol })
  t.deepEqual(kolOf({ wallet: WALLET, display_name: 'Ann', twitter_handle: '' }), {
    kol: { ...kol, twitterHandle: '' },
  })
  t.deepEqual(kolOf({ wallet: WALLET, display_name: 'Ann', twitter_handle: '@ann_1' }), {
    kol: { ...kol, twitterHandle: 'ann_1' },
  })
  const refused: [Record<string, unknown>, string[]][] = [
    [{}, ['wallet', 'display_name']],
    [{ wallet: '', display_name: '' }, ['wallet', 'display_name']],
    [{ wallet: `${WALLET}x`, display_name: 'Ann' }, ['wallet']],
    [
      { wallet: 7, display_name: 7, twitter_handle: 7 },
      ['wallet', 'display_name', 'twitter_handle'],
    ],
    [{ wallet: WALLET, display_name: '   ' }, ['display_name']],
    [{ wallet: WALLET, display_name: 'x'.repeat(201) }, ['display_name']],
  ]
  for (const [fields, names] of refused) {
    const read = kolOf(fields)
    if ('kol' in read) return t.fail(JSON.stringify(fields))
    t.deepEqual(
      read.refusals.map(({ field }) => field),
      names,
    )
  }
})

test('a handle that cannot be used costs itself only, with a warning', (t) => {
  const kol = { wallet: WALLET, displayName: 'Ann', twitterHandle: undefined }
  for (const [handle, value] of [
    ['@', '"@"'],
    ['a-b', '"a-b"'],
    ['x'.repeat(16), `"${'x'.repeat(16)}"`],
    [7, '7'],
    ['a\u0000b', '"a\\u0000b"'],
  ] as const) {
    const read = kolOf({ wallet: WALLET, display_name: 'Ann', twitter_handle: handle })
    t.like(read, { kol, warnings: [{ field: 'twitter_handle', value }] }, value)
  }
})

test('judges a token row by the ingest contract, with the present slot unless it names one', (t) => {
  const csv = {
    mint: WALLET,
    creator: '',
    decimals: '6',
    supply: '9223372036854775807',
    symbol: '007',
  }
  t.deepEqual(tokenOfRow(csv, 42), {
    token: {
      tokenAddress: WALLET,
      slot: 42,
      decimals: 6,
      supply: 9223372036854775807n,
      symbol: '007',
    },
  })
  const read = operatorLines(['mint'], TOKEN_INTEGERS)
  const line = read(`{"kind":"token","token_address":"${WALLET}","slot":7,"name":"Seven"}`)
  if (line === 'header' || 'refusals' in line) return t.fail()
  t.deepEqual(tokenOfRow(line.fields, 42), {
    token: { tokenAddress: WALLET, slot: 7, name: 'Seven' },
  })
  t.deepEqual(sectorOfRow({ mint: WALLET, sector: 'ai', symbol: 'NO' }, 42), {
    token: { tokenAddress: WALLET, slot: 42, sector: 'ai' },
  })
})

test('reports the rule that a token row breaks', (t) => {
  const cases: [Record<string, unknown>, string, string | undefined][] = [
    [{ mint: 'x' }, 'token_address', '"x"'],
    [{ name: 'x' }, 'token_address', undefined],
    [{ mint: '' }, 'token_address', undefined],
    [{ mint: WALLET, decimals: '19' }, 'decimals', '19'],
    [{ mint: WALLET, decimals: '6.0' }, 'decimals', '"6.0"'],
    [{ mint: WALLET, supply: '9223372036854775808' }, 'supply', '9223372036854775808'],
    [{ mint: WALLET, supply: -9223372036854775807n }, 'supply', '-9223372036854775807'],
    [{ mint: WALLET, name: { supply: 2n ** 60n } }, 'name', '{"supply":"1152921504606846976"}'],
    [{ mint: WALLET, kind: 'swap' }, 'kind', '"swap"'],
    // Deeper than the stack.
    [{ mint: WALLET, name: JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)) }, 'name', '[]'],
  ]
  for (const [fields, field, value] of cases) {
    const read = tokenOfRow(fields, 1)
    const [first] = 'token' in read ? (read.warnings ?? []) : read.refusals
    t.like(first, { field, value })
    t.is('token' in read, ['decimals', 'supply', 'name'].includes(field))
  }
  t.like(sectorOfRow({ mint: WALLET, sector: '' }, 1), {
    refusals: [{ field: 'sector', value: undefined }],
  })
  // A line with only a sector is refused.
  for (const sector of ['\u0000 ', 'x'.repeat(201), 7]) {
    t.like(sectorOfRow({ mint: WALLET, sector }, 1), { refusals: [{ field: 'sector' }] })
  }
  t.like(sectorOfRow({ mint: WALLET }, 1), { refusals: [{ field: 'sector', value: undefined }] })
})
