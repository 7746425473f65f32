// Which route a URL is, and what is left to the router.

import test from 'ava'
import { routeTable } from '../../api/route-table.ts'

const find = routeTable([
  { path: '/swaps' },
  { path: '/swaps/range' },
  { path: '/swaps/{signature}' },
  { path: '/swaps/never' },
  { path: '/wallets/{w}/stats' },
  { path: '/wallets/{w}/positions/{mint}/lots' },
  { path: '/openapi.json' },
])
const pathOf = (url: string) => find(url)?.route.path

test('a path without parameters is found, with a query and without', (t) => {
  t.is(pathOf('/swaps'), '/swaps')
  t.is(pathOf('/swaps?limit=1&x=/a?b'), '/swaps')
  t.is(pathOf('/openapi.json?'), '/openapi.json')
})

test('parameters of the path are what stands in their place', (t) => {
  t.deepEqual(find('/wallets/abc/stats?w=other'), {
    route: { path: '/wallets/{w}/stats' },
    params: { w: 'abc' },
  })
  t.deepEqual(find('/wallets/a/positions/b.-_/lots')?.params, { w: 'a', mint: 'b.-_' })
})

test('of two routes that fit, the one declared first is meant', (t) => {
  t.is(pathOf('/swaps/range'), '/swaps/range')
  t.is(pathOf('/swaps/never'), '/swaps/{signature}')
})

test('what may be read in another way is left to the router', (t) => {
  for (const url of [
    '',
    '/',
    '*',
    '/swaps/',
    '//swaps',
    '/swaps//range',
    '/SWAPS',
    '/Swaps/range',
    '/swaps/r%61nge',
    '/swaps#range',
    '/swaps/a b',
    '/swaps/a:b',
    '/wallets//stats',
    '/wallets/a/other',
    '/wallets/a/stats/b',
    '/none',
    'http://host/swaps',
    'swaps',
  ]) {
    t.is(find(url), undefined, url)
  }
})
