// Sessions of pages: which requests they authenticate, and for how long; and one-time links.

import test from 'ava'
import {
  createPageSessions,
  PAGE_COOKIE,
  PAGE_SESSION_SECONDS,
} from '../../../api/gateway/page-session.ts'
import { createSignInLinks, LINK_SECONDS } from '../../../api/gateway/sign-in-links.ts'

const KEY = 'ohlcv_test_sk_0123456789abcdefghijklmn'
const HOST = '127.0.0.1:8080'

function clock() {
  let ms = 1_800_000_000_000
  return {
    now: () => ms,
    pass: (seconds: number) => {
      ms += seconds * 1_000
    },
  }
}

const cookieValue = (line: string): string => line.split(';')[0]?.split('=')[1] ?? ''
const requested = (cookie: string, more: Record<string, string>) => ({
  host: HOST,
  cookie: `other=1; ${PAGE_COOKIE}-8080=${cookie}`,
  ...more,
})
const OWN = { 'sec-fetch-site': 'same-origin' }

test('a cookie has the attributes that restrict it to pages of this host', (t) => {
  const { now } = clock()
  const line = createPageSessions('secret', now).cookieLine(KEY, HOST, false)
  t.regex(line, /; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
  t.false(line.includes(KEY))
  t.regex(createPageSessions('secret', now).cookieLine(KEY, HOST, true), /; Secure$/)
  t.regex(createPageSessions('secret', now).cookieLine(undefined, HOST, false), /=; .*Max-Age=0;/)
})

test('only a request from this origin is authenticated', (t) => {
  const { now } = clock()
  const sessions = createPageSessions('secret', now)
  const cookie = cookieValue(sessions.cookieLine(KEY, HOST, false))
  const keyOf = (more: Record<string, string>) => sessions.keyOf(requested(cookie, more))
  t.is(keyOf(OWN), KEY)
  t.is(keyOf({ origin: `http://${HOST}` }), KEY)
  t.is(keyOf({ referer: `http://${HOST}/token/x` }), KEY)
  for (const more of [
    {},
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: `http://${HOST}` },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:9090' },
    { origin: 'http://127.0.0.1:9090', referer: `http://${HOST}/` },
    { referer: 'http://evil.example/' },
  ] as Record<string, string>[]) {
    t.is(keyOf(more), undefined, JSON.stringify(more))
  }
})

test('two installations on one host have a session each', (t) => {
  const { now } = clock()
  const hosts = [HOST, '127.0.0.1:9090', 'swaptide.example'] as const
  const cookies = hosts.map((host, at) => {
    const sessions = createPageSessions(`secret ${at}`, now)
    const [cookie = ''] = sessions.cookieLine(`${KEY}_${at}`, host, false).split(';')
    return { host, cookie, sessions }
  })
  t.is(new Set(cookies.map(({ cookie }) => cookie.split('=')[0])).size, hosts.length)
  const sent = cookies.map(({ cookie }) => cookie).join('; ')
  for (const [at, { host, sessions }] of cookies.entries()) {
    t.is(sessions.keyOf({ host, cookie: sent, ...OWN }), `${KEY}_${at}`, host)
  }
})

test('a changed, foreign or expired cookie authenticates nothing', (t) => {
  const { now, pass } = clock()
  const sessions = createPageSessions('secret', now)
  const cookie = cookieValue(sessions.cookieLine(KEY, HOST, false))
  for (let at = 0; at < cookie.length; at += 7) {
    const letter = cookie[at] === 'A' ? 'B' : 'A'
    const changed = cookie.slice(0, at) + letter + cookie.slice(at + 1)
    t.is(sessions.keyOf(requested(changed, OWN)), undefined, `letter ${at}`)
  }
  for (const text of ['', 'x', 'a'.repeat(1_000)]) {
    t.is(sessions.keyOf(requested(text, OWN)), undefined, text)
  }
  t.is(createPageSessions('another', now).keyOf(requested(cookie, OWN)), undefined)
  t.is(createPageSessions('secret', now).keyOf(requested(cookie, OWN)), KEY, 'in another process')
  t.is(createPageSessions(undefined, now).keyOf(requested(cookie, OWN)), undefined)
  pass(PAGE_SESSION_SECONDS - 1)
  t.is(sessions.keyOf(requested(cookie, OWN)), KEY)
  pass(1)
  t.is(sessions.keyOf(requested(cookie, OWN)), undefined)
})

test('a link is good once, within its hour, and the oldest of too many is dropped', (t) => {
  const { now, pass } = clock()
  const links = createSignInLinks(now)
  const first = links.make(KEY)
  t.is(links.redeem(first), KEY)
  t.is(links.redeem(first), undefined)
  t.is(links.redeem(''), undefined)
  const late = links.make(KEY)
  pass(LINK_SECONDS)
  t.is(links.redeem(late), undefined)
  const many = Array.from({ length: 101 }, () => links.make(KEY))
  t.deepEqual(
    many.map((secret) => links.redeem(secret) === KEY),
    many.map((_, at) => at > 0),
  )
})
