/** Columns of the swaps of a wallet. */
import { TRADE } from '../layout/trade-table.tsx'

const { side, token, sol, tokens, impact, venue, when } = TRADE

export const TRADE_COLUMNS = [side, token, sol, tokens, impact, venue, when]
