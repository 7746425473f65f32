/** Symbols of mints, looked up once each, many in one request. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { get } from './request.ts'
import { needsKey } from './session.ts'

/** null: the token has none, or is not indexed. */
export const symbols = signal<ReadonlyMap<string, string | null>>(new Map())

/** As many as one request takes. */
const MINTS_MAX = 200

const wanted = new Set<string>()
let isScheduled = false

/** Requests the symbols that are not known yet. */
export function useSymbols(mints: readonly string[]): void {
  const missing = mints.filter((mint) => !symbols.value.has(mint)).join(',')
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
    const { stats } = await get('/stats/tokens', { token_addresses: mints.join(',') })
    const known = mints.map((mint) => [mint, stats[mint]?.symbol ?? null] as const)
    symbols.value = new Map([...symbols.value, ...known])
  } catch {
    // Addresses are shown in their place; the next change of the list tries again.
  }
}
