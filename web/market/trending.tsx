/** Trending tokens of a window, live, each with its price as a line. */

import { TREND_WINDOWS } from '../../domain/ranking.ts'
import { counted } from '../../domain/text/plural.ts'
import { shortened } from '../../domain/text/short-text.ts'
import { WINDOW_MINUTES } from '../../domain/time/trade-window.ts'
import { useLatest } from '../client/latest.ts'
import { choiceOf } from '../client/location.ts'
import { type Answer, get } from '../client/request.ts'
import { OF_NOW } from '../client/slot/figures.ts'
import { symbols, useSymbols } from '../client/symbols.ts'
import { usdFigure } from '../format/number.ts'
import { Choice } from '../layout/choice.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { Change, FigureLink, Num, TokenLink, tokenPartsPath } from '../layout/values.tsx'
import { PriceLine } from './price-line.tsx'

type Ranking = Pick<Answer<'listTrendingTokens'>, 'window' | 'results' | 'total'>

const ROWS = 15
const USUAL = '1h'

export function Trending() {
  const window = choiceOf('window', TREND_WINDOWS, USUAL)
  const ranking = useLatest<Ranking>(`trending ${window}`, {
    load: (signal) => get('listTrendingTokens', { window, limit: ROWS }, signal),
    channel: 'rankings',
    filter: { board: 'trending', window, limit: ROWS },
    inFrame: (frame) => {
      const found = frame as Ranking & { board: string }
      return found.board === 'trending' && found.window === window ? found : undefined
    },
  })
  return (
    <Panel
      title="Trending"
      class="trending"
      of={OF_NOW}
      note={ranking.value && `${counted(ranking.value.total, 'token')} traded in ${window}`}
      aside={
        <Choice name="window" label="Window" values={TREND_WINDOWS} chosen={window} usual={USUAL} />
      }
    >
      <States
        of={ranking}
        rows={ROWS}
        emptyText={({ results }) =>
          results.length === 0 ? `No token traded in ${window}.` : undefined
        }
      >
        {({ results }) => <Table rows={results} minutes={WINDOW_MINUTES[window]} window={window} />}
      </States>
    </Panel>
  )
}

type TableProps = { rows: Ranking['results']; minutes: number; window: string }

function Table({ rows, minutes, window }: TableProps) {
  useSymbols(rows.map(({ mint }) => mint))
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col" class="num rank">
              #
            </th>
            <th scope="col">Token</th>
            <th scope="col" class="num">
              Price
            </th>
            <th scope="col" class="num">
              Change
            </th>
            <th scope="col">Price of {window}</th>
            <th scope="col" class="num">
              Volume
            </th>
            <th scope="col" class="num">
              Liquidity
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <Row key={row.mint} {...{ row, rank: at + 1, minutes, window }} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type RowProps = Omit<TableProps, 'rows'> & { row: Ranking['results'][number]; rank: number }

function Row({ row, rank, minutes, window }: RowProps) {
  return (
    <tr data-mint={row.mint}>
      <td class="num quiet rank">{rank}</td>
      <td>
        <TokenLink mint={row.mint} symbol={symbols.value.get(row.mint)} />
      </td>
      <td class="num" data-figure="price_usd">
        <FigureLink href={tokenPartsPath(row.mint, 'price')} label={`price of ${row.mint}`}>
          <Num value={row.price_usd} as={usdFigure} />
        </FigureLink>
      </td>
      <td class="num" data-figure="change_pct">
        <FigureLink
          href={tokenPartsPath(row.mint, window)}
          label={`swaps of ${window} of ${row.mint}`}
        >
          <Change value={row.change_pct} />
        </FigureLink>
      </td>
      <td>
        <PriceLine
          mint={row.mint}
          minutes={minutes}
          name={symbols.value.get(row.mint) ?? shortened(row.mint)}
        />
      </td>
      <td class="num" data-figure="volume_usd">
        <FigureLink
          href={tokenPartsPath(row.mint, window)}
          label={`swaps of ${window} of ${row.mint}`}
        >
          <Num value={row.volume_usd} as={usdFigure} />
        </FigureLink>
      </td>
      <td class="num" data-figure="liquidity_usd">
        <FigureLink href={tokenPartsPath(row.mint, 'liquidity')} label={`liquidity of ${row.mint}`}>
          <Num value={row.liquidity_usd} as={usdFigure} />
        </FigureLink>
      </td>
    </tr>
  )
}
