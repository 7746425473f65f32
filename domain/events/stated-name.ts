/**
 * Name that a transaction states of a mint outside the creation of a pool: most mints are made and named before their first pool, and
 * most that are named are never traded. Hence it is no event: it is stored aside, and names the mint once that is seen.
 */
import type { TokenTexts } from '../text/token-text.ts'

export type StatedName = TokenTexts & { readonly mint: string; readonly slot: number }
