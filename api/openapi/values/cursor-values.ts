/** Example values of cursors, by the path of their list. Pure. */

import { DEAD_LETTERS, KOLS, SECTORS } from '../../admin/v1/present.ts'
import * as story from '../../examples/story.ts'
import { lotsCursor, lotsList } from '../../resources/lots/lots-page.ts'
import { ACCOUNTS } from '../../resources/pairs/read.ts'
import { eventCursor, eventList } from '../../resources/pool-events/event-key.ts'
import { retractionCursor } from '../../resources/retractions/retraction-key.ts'
import { keyOf, swapCursor, swapList } from '../../resources/swaps/swap-key.ts'
import { tradersCursor } from '../../resources/token-traders/traders-cursor.ts'
import { holdersCursor } from '../../resources/tokens/holders-cursor.ts'
import { encodeCursor } from '../../routing/reading/cursor.ts'

const { MINT, POSITION } = story

type SwapList = { order?: 'asc' | 'desc'; mint?: string; pair?: string; user?: string }
function afterSwap(name: string, { order = 'desc', mint, pair, user }: SwapList = {}): string {
  return swapCursor(
    swapList(name, order, { token_address: mint, pair_address: pair, user }),
    story.SWAP,
  )
}

/** Cursors of lists, by path: each continues after the row of the route's own example. */
const CURSORS: Readonly<Record<string, string>> = {
  '/swaps': afterSwap('all', { pair: story.PAIR }),
  '/swaps/range': afterSwap('range'),
  '/swaps/whale': afterSwap('whale'),
  '/swaps/trader/{wallet}': afterSwap('trader', { user: story.WALLET }),
  '/swaps/token/{mint}': afterSwap('token', { order: 'asc', mint: MINT }),
  '/v2/pnl/tokens/{token}/traders': tradersCursor(MINT, 'adjusted', {
    realized: String(POSITION.realizedLamports),
    wallet: story.WALLET,
  }),
  '/wallets/{w}/trades': afterSwap('trades', { user: story.WALLET, mint: MINT }),
  '/pool-events': eventCursor(eventList('desc', { pair_address: story.PAIR }), story.MIGRATED),
  '/api/v1/retractions': retractionCursor('desc', story.LEFT_BLOCK),
  '/api/v1/pairs': encodeCursor(ACCOUNTS, [story.SWAP.slot, story.PAIR]),
  '/tokens/{mint}/holders': holdersCursor(MINT, {
    balance: String(POSITION.left),
    wallet: story.WALLET,
  }),
  '/v2/pnl/wallets/{wallet}/positions/{mint}/lots': lotsCursor(lotsList(story.WALLET, MINT), {
    asOf: keyOf(story.SWAP),
    end: { section: 'lots', key: keyOf(story.SWAP) },
  }),
  '/admin/v1/kols': encodeCursor(KOLS, [story.WALLET]),
  '/admin/v1/sectors': encodeCursor(SECTORS, [MINT]),
  '/admin/v1/dead-letters': encodeCursor(DEAD_LETTERS, [41]),
}

export function cursorValues(): Record<string, string> {
  const named = Object.entries(CURSORS).flatMap(([path, cursor]) => [
    [`${path} cursor`, cursor],
    [`${path} next_cursor`, cursor],
  ])
  return Object.fromEntries(named)
}
