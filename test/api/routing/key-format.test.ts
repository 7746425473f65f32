// The form of a key, and that no other text is accepted as one. Pure.

import { randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import {
  checkKey,
  ENVIRONMENTS,
  makeKey,
  maskKeys,
  OPERATOR_KEY_PREFIX,
} from '../../../api/routing/key-format.ts'

test('a generated key has the published form and passes its checksum', (t) => {
  for (const environment of ENVIRONMENTS) {
    const key = makeKey(environment, randomBytes)
    t.regex(key, new RegExp(`^ohlcv_${environment}_sk_[0-9A-Za-z]{48}$`))
    t.is(checkKey(key), environment)
  }
})

test('no bytes at all of one value favour a character: bytes from 248 up are drawn again', (t) => {
  let requested = 0
  const key = makeKey('test', (count) => new Uint8Array(count).fill(requested++ === 0 ? 255 : 61))
  t.is(requested, 2)
  // 61 is the last of base62.
  t.true(key.startsWith(`ohlcv_test_sk_${'z'.repeat(42)}`))
})

test('a key with any one character changed is refused', (t) => {
  const key = makeKey('live', randomBytes)
  const anyChange = fc.tuple(fc.nat(key.length - 1), fc.constantFrom(...'0Aaz_-'))
  fc.assert(
    fc.property(anyChange, ([at, character]) => {
      fc.pre(key[at] !== character)
      t.is(checkKey(key.slice(0, at) + character + key.slice(at + 1)), undefined)
    }),
  )
})

test('texts that only look like keys are refused', (t) => {
  const key = makeKey('live', randomBytes)
  for (const text of ['', 'ohlcv_live_sk_', key.slice(1), `${key}0`, ` ${key}`, `${key}\n`]) {
    t.is(checkKey(text), undefined)
  }
  t.is(checkKey(key.replace('live', 'test')), undefined)
})

test('a key in a text is blotted out', (t) => {
  const key = makeKey('dev', randomBytes)
  t.is(maskKeys(`/x/${key}?a=${key}`), '/x/ohlcv_dev_sk_***?a=ohlcv_dev_sk_***')
})

test('an operator key in a text is blotted out, too', (t) => {
  const key = OPERATOR_KEY_PREFIX + randomBytes(24).toString('base64url')
  const escaped = key.replaceAll('_', '%5F')
  t.is(maskKeys(`dex "${key}"`), 'dex "swaptide_operator_***"')
  t.is(maskKeys(`/${escaped}?`), '/swaptide%5Foperator%5F***?')
})
