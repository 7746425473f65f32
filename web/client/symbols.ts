/** Symbols of mints, many looked up in one request. A token that has none yet is looked up again after a while. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { get } from './request.ts'
import { needsKey } from './session.ts'

/** null: the token has none, or is not indexed yet. */
export const symbols = signal<ReadonlyMap<string, string | null>>(new Map())

/** The most that one request accepts. */
const MINTS_MAX = 200
/** The oldest are forgotten beyond these: a market brings new tokens without end. */
const SYMBOLS_MAX = 2_000
const AGAIN_AFTER_MS = 30_000

const wanted = new Set<string>()
/** Unix ms of the last look-up of a mint without a symbol. */
const missedAt = new Map<string, number>()
let isScheduled = false

function isMissing(mint: string): boolean {
  const symbol = symbols.value.get(mint)
  if (symbol !== null) return symbol === undefined
  return Date.now() - (missedAt.get(mint) ?? 0) > AGAIN_AFTER_MS
}

/** Requests the symbols that are not known yet. */
export function useSymbols(mints: readonly string[]): void {
  const missing = mints.filter(isMissing).join(',')
  useEffect(() => {
    if (missing === '' || needsKey.value) return
    for (const mint of missing.split(',')) wanted.add(mint)
    if (isScheduled) return
    isScheduled = true
    // Parts of the page that are drawn in the same turn share a request.
    setTimeout(() => void lookUp(), 0)
  }, [missing])
}

async function lookUp(): Promise<void> {
  isScheduled = false
  const mints = [...wanted].slice(0, MINTS_MAX)
  for (const mint of mints) wanted.delete(mint)
  try {
    const { stats } = await get('getTokensStats', { mints })
    const found = mints.map((mint) => [mint, stats[mint]?.symbol ?? null] as const)
    const known = new Map([...symbols.value, ...found])
    symbols.value = new Map([...known].slice(-SYMBOLS_MAX))
    for (const [mint, symbol] of found) {
      if (symbol === null) missedAt.set(mint, Date.now())
      else missedAt.delete(mint)
    }
    for (const mint of missedAt.keys()) if (!symbols.value.has(mint)) missedAt.delete(mint)
  } catch {
    // Addresses are shown instead; the next change of the list tries again.
  }
}
