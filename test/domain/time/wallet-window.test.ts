// The windows of a wallet's figures, against hand-written values.

import test from 'ava'
import { WALLET_WINDOWS, windowEndMs, windowHours } from '../../../domain/time/wallet-window.ts'

const HOUR_MS = 3_600_000
const NEWEST = Date.UTC(2026, 7, 31, 10, 59, 59, 999)

test('a window begins with the hour that holds newest less its days', (t) => {
  t.is(windowHours('30d', NEWEST).firstMs, Date.UTC(2026, 7, 1, 10))
  t.is(windowHours('90d', NEWEST).firstMs, Date.UTC(2026, 5, 2, 10))
  t.is(windowHours('1y', NEWEST).firstMs, Date.UTC(2025, 7, 31, 10))
  // On the hour, that hour itself is the last of both ends.
  t.is(windowHours('30d', Date.UTC(2026, 7, 31, 10)).firstMs, Date.UTC(2026, 7, 1, 10))
})

test('a window ends with the hour that holds newest', (t) => {
  for (const window of WALLET_WINDOWS) {
    t.is(windowHours(window, NEWEST).lastMs, Date.UTC(2026, 7, 31, 10))
    t.is(windowEndMs(windowHours(window, NEWEST)), Date.UTC(2026, 7, 31, 11))
  }
})

test('all begins with the first hour there is, and no window before it', (t) => {
  t.is(windowHours('all', NEWEST).firstMs, 0)
  t.is(windowHours('1y', 5 * HOUR_MS).firstMs, 0)
})
