// The windows of a wallet's figures, by hand.

import test from 'ava'
import { firstHourMs } from '../../streams/wallet-window.ts'

const HOUR_MS = 3_600_000
const NEWEST = Date.UTC(2026, 7, 31, 10, 59, 59, 999)

test('a window begins with the hour that holds newest less its days', (t) => {
  t.is(firstHourMs('30d', NEWEST), Date.UTC(2026, 7, 1, 10))
  t.is(firstHourMs('90d', NEWEST), Date.UTC(2026, 5, 2, 10))
  t.is(firstHourMs('1y', NEWEST), Date.UTC(2025, 7, 31, 10))
  // On the hour, that hour itself is the last of both ends.
  t.is(firstHourMs('30d', Date.UTC(2026, 7, 31, 10)), Date.UTC(2026, 7, 1, 10))
})

test('all begins with the first hour there is, and no window before it', (t) => {
  t.is(firstHourMs('all', NEWEST), 0)
  t.is(firstHourMs('1y', 5 * HOUR_MS), 0)
})
