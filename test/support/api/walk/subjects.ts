/** Subjects of a market, in ascending order: the values that parameters of a walk (routes.ts) take. */
import type { Event } from '../../../../domain/events/event.ts'
import { greatestOf, leastOf } from '../../../../domain/numbers/extremes.ts'

export type Subjects = {
  wallets: readonly string[]
  mints: readonly string[]
  pairs: readonly string[]
  signatures: readonly string[]
  symbols: readonly string[]
  sectors: readonly string[]
  creators: readonly string[]
  /** First and last of the swaps and pool events. */
  slots: readonly [number, number]
  /** Unix ms, likewise. */
  times: readonly [number, number]
}

export function subjectsOf(events: readonly Event[]): Subjects {
  const swaps = events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
  const poolEvents = events.flatMap((event) =>
    event.kind === 'pool_event' ? [event.poolEvent] : [],
  )
  const tokens = events.flatMap((event) => (event.kind === 'token' ? [event.token] : []))
  const placed = [...swaps, ...poolEvents]
  const slots = placed.map(({ slot }) => slot)
  const times = placed.map(({ timestamp }) => timestamp)
  return {
    wallets: distinct(swaps.map(({ user }) => user)),
    mints: distinct(placed.map(({ tokenAddress }) => tokenAddress)),
    pairs: distinct(placed.map(({ pairAddress }) => pairAddress)),
    signatures: distinct(swaps.map(({ signature }) => signature)),
    symbols: distinct(tokens.map(({ symbol }) => symbol)),
    sectors: distinct(tokens.map(({ sector }) => sector)),
    creators: distinct([...tokens, ...poolEvents].map(({ creator }) => creator)),
    slots: [leastOf(slots) ?? 0, greatestOf(slots) ?? 0],
    times: [leastOf(times) ?? 0, greatestOf(times) ?? 0],
  }
}

/** At most so many of each kind, evenly chosen; `offset`: from 0 to 1, chooses others. */
export function someOf(subjects: Subjects, most: number, offset = 0): Subjects {
  const chosen = Object.entries(subjects).map(([kind, values]) => [
    kind,
    kind === 'slots' || kind === 'times'
      ? values
      : evenly(values as readonly string[], most, offset),
  ])
  return Object.fromEntries(chosen) as Subjects
}

function evenly(values: readonly string[], most: number, offset: number): readonly string[] {
  const step = Math.max(1, values.length / most)
  return Array.from(
    { length: Math.min(most, values.length) },
    (_, n) => values[Math.floor((n + offset) * step)] ?? values.at(-1)!,
  )
}

/** Texts that a parameter may be: without control characters. */
function distinct(texts: readonly (string | null | undefined)[]): string[] {
  return [...new Set(texts.filter((text): text is string => /^\P{Cc}+$/u.test(text ?? '')))].sort()
}
