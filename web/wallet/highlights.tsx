/** The extremes of a wallet's positions, each with its lots. */

import type { Answer } from '../client/request.ts'
import { useFigures } from '../client/slot/figures.ts'
import { symbols, useSymbols } from '../client/symbols.ts'
import { type Figure, plainText, solFigure } from '../format/number.ts'
import { durationText } from '../format/time.ts'
import { Panel, States } from '../layout/panel.tsx'
import { Num, TokenLink } from '../layout/values.tsx'
import { chosenMode } from './choices.ts'
import { showLots } from './positions.tsx'

type Highlights = Answer<'getWalletHighlights'>
type Highlighted = NonNullable<Highlights['biggest_win']>

const RENEWED_MS = 30_000
const SECOND_MS = 1_000

/** Highlight, its title, and the field of the position that makes it one. */
const KINDS = [
  ['biggest_win', 'Best trade', 'realized_sol'],
  ['biggest_loss', 'Worst trade', 'realized_sol'],
  ['biggest_bag', 'Largest holding', 'current_value_sol'],
  ['fastest_flip', 'Fastest flip', 'fastest_flip_seconds'],
  ['longest_hold', 'Longest hold', 'longest_hold_seconds'],
] as const

export function HighlightsPanel({ wallet }: { wallet: string }) {
  const mode = chosenMode()
  const highlights = useFigures(
    'getWalletHighlights',
    `highlights ${wallet} ${mode}`,
    (read) => read('getWalletHighlights', { wallet, pnl_mode: mode }),
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel title="Highlights" class="highlights" of={highlights} note={`SOL, ${mode}, all time`}>
      <States
        of={highlights}
        rows={5}
        emptyText={(found) =>
          KINDS.every(([kind]) => found[kind] === null)
            ? 'No position is open or realized anything.'
            : undefined
        }
      >
        {(found) => <Table of={found} />}
      </States>
    </Panel>
  )
}

function Table({ of }: { of: Highlights }) {
  useSymbols(KINDS.flatMap(([kind]) => of[kind]?.mint ?? []))
  return (
    <table>
      <tbody>
        {KINDS.map(([kind, title, figure]) => {
          const position = of[kind]
          if (position === null) return null
          return (
            <tr key={kind} data-highlight={kind}>
              <th scope="row">{title}</th>
              <td>
                <TokenLink mint={position.mint} symbol={symbols.value.get(position.mint)} />
              </td>
              <td class="num" data-figure={figure}>
                <Highlight of={position} figure={figure} />
              </td>
              <td>
                <button type="button" class="link" onClick={() => showLots(position.mint)}>
                  lots
                </button>
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

type HighlightProps = { of: Highlighted; figure: (typeof KINDS)[number][2] }

function Highlight({ of, figure }: HighlightProps) {
  const value = of[figure]
  if (figure === 'realized_sol') {
    return <Num value={value} as={solFigure} isToned />
  }
  if (figure === 'current_value_sol') return <Num value={value} as={solFigure} />
  return <Num value={value} as={secondsFigure} />
}

const secondsFigure = (seconds: number): Figure => ({
  text: durationText(seconds * SECOND_MS),
  exact: plainText(seconds),
})
