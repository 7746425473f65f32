/** The time, once a second, for ages and countdowns. */
import { signal } from '@preact/signals'

const TICK_MS = 1_000

/** Unix ms of the wall clock. */
export const now = signal(Date.now())

setInterval(() => {
  now.value = Date.now()
}, TICK_MS)
