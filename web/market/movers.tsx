/** Tokens whose price rose and fell most in a window, live. */
import { MOVER_TIMEFRAMES } from '../../domain/time/trade-window.ts'
import { useLatest } from '../client/latest.ts'
import { choiceOf } from '../client/location.ts'
import { type Answer, get } from '../client/request.ts'
import { OF_NOW } from '../client/slot/figures.ts'
import { symbols, useSymbols } from '../client/symbols.ts'
import { countFigure, solFigure } from '../format/number.ts'
import { Choice } from '../layout/choice.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { Change, FigureLink, Num, TokenLink, tokenPartsPath } from '../layout/values.tsx'

type Movers = Answer<'getTopMovers'>['data']

const ROWS = 6
const USUAL = '1h'

export function MoversPanel() {
  const window = choiceOf('movers', MOVER_TIMEFRAMES, USUAL)
  const movers = useLatest<Movers>(`movers ${window}`, {
    load: async (signal) =>
      (await get('getTopMovers', { timeframe: window, limit: ROWS }, signal)).data,
    channel: 'rankings',
    filter: { board: 'top_movers', window, limit: ROWS },
    inFrame: (frame) => {
      const found = frame as Movers & { board: string }
      return found.board === 'top_movers' && found.timeframe === window ? found : undefined
    },
  })
  return (
    <Panel
      title="Movers"
      class="movers"
      of={OF_NOW}
      note={`by price in SOL, ${window}`}
      aside={
        <Choice
          name="movers"
          label="Window"
          values={MOVER_TIMEFRAMES}
          chosen={window}
          usual={USUAL}
        />
      }
    >
      <States
        of={movers}
        rows={ROWS}
        emptyText={({ gainers, losers }) =>
          gainers.length + losers.length === 0 ? `No price moved in ${window}.` : undefined
        }
      >
        {({ gainers, losers }) => (
          <div class="two">
            <Side title="Gainers" rows={gainers} window={window} />
            <Side title="Losers" rows={losers} window={window} />
          </div>
        )}
      </States>
    </Panel>
  )
}

type SideProps = { title: string; rows: Movers['gainers']; window: Movers['timeframe'] }

function Side({ title, rows, window }: SideProps) {
  useSymbols(rows.map(({ mint }) => mint))
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col" class="num">
            Change
          </th>
          <th scope="col" class="num">
            SOL
          </th>
          <th scope="col" class="num">
            Trades
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.mint} data-mint={row.mint}>
            <td>
              <TokenLink mint={row.mint} symbol={symbols.value.get(row.mint)} />
            </td>
            <td class="num" data-figure="price_change_pct">
              <FigureLink
                href={tokenPartsPath(row.mint, window)}
                label={`swaps of ${window} of ${row.mint}`}
              >
                <Change value={row.price_change_pct} />
              </FigureLink>
            </td>
            <td class="num" data-figure="volume_sol">
              <FigureLink
                href={tokenPartsPath(row.mint, window)}
                label={`swaps of ${window} of ${row.mint}`}
              >
                <Num value={row.volume_sol} as={solFigure} />
              </FigureLink>
            </td>
            <td class="num" data-figure="trade_count">
              <FigureLink
                href={tokenPartsPath(row.mint, window)}
                label={`swaps of ${window} of ${row.mint}`}
              >
                <Num value={row.trade_count} as={countFigure} />
              </FigureLink>
            </td>
          </tr>
        ))}
        {rows.length === 0 && (
          <tr>
            <td colSpan={4} class="quiet">
              none
            </td>
          </tr>
        )}
      </tbody>
    </table>
  )
}
