/**
 * Token lines of one batch, merged by mint: for each field the value of the highest slot wins, ties by the greater
 * text. The same rule as the statement pool/merge_tokens has between batches. Pure.
 */

import type { Token } from '../../../domain/events/token.ts'
import { storedSearchKey } from '../../../domain/text/search-key.ts'

const FIELDS = ['creator', 'decimals', 'symbol', 'name', 'supply', 'sector', 'uri'] as const
const SEARCHED = ['symbol', 'name', 'sector'] as const
type Field = (typeof FIELDS)[number]
type Known = { value: NonNullable<Token[Field]>; slot: number }
type Merged = { tokenAddress: string } & Partial<Record<Field, Known>>

/** The parameters of pool/merge_tokens: mints sorted, each field's values and slots, the texts' search keys. */
export function mergeTokens(tokens: readonly Token[]): unknown[][] {
  const byMint = new Map<string, Merged>()
  for (const token of tokens) {
    const merged = byMint.get(token.tokenAddress) ?? { tokenAddress: token.tokenAddress }
    for (const field of FIELDS) {
      const value = token[field]
      if (value === undefined) continue
      const known = merged[field]
      if (known === undefined || isNewer({ value, slot: token.slot }, known)) {
        merged[field] = { value, slot: token.slot }
      }
    }
    byMint.set(token.tokenAddress, merged)
  }
  const rows = [...byMint.values()].sort((a, b) => (a.tokenAddress < b.tokenAddress ? -1 : 1))
  return [
    rows.map((row) => row.tokenAddress),
    ...FIELDS.flatMap((field) => [
      rows.map((row) => row[field]?.value ?? null),
      rows.map((row) => row[field]?.slot ?? null),
    ]),
    ...SEARCHED.map((field) => rows.map((row) => keyOf(row[field]?.value))),
  ]
}

function keyOf(text: Known['value'] | undefined): string | null {
  return text === undefined ? null : storedSearchKey(`${text}`)
}

function isNewer(candidate: Known, known: Known): boolean {
  if (candidate.slot !== known.slot) return candidate.slot > known.slot
  // Compared as bytes of UTF-8, as by the database.
  return Buffer.compare(Buffer.from(`${candidate.value}`), Buffer.from(`${known.value}`)) > 0
}
