/** The wallets of a period by rank, a page at a time. */
import { LEADERBOARD_PERIODS } from '../../domain/wallet/leaderboard.ts'
import type { PnlMode } from '../../domain/wallet/pnl-mode.ts'
import type { Leaderboard } from '../client/answers.ts'
import { useLoaded } from '../client/loaded.ts'
import { choiceOf } from '../client/location.ts'
import { get } from '../client/request.ts'
import { countFigure, exactFigure, type Figure, plainText, solFigure } from '../format/number.ts'
import { spaced } from '../format/text.ts'
import { Choice } from '../layout/choice.tsx'
import { FIRST_PAGE, offsetOf, Pager } from '../layout/pager.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { Num, WalletLink } from '../layout/values.tsx'

type Rows = Leaderboard['leaderboard']

const ROWS = 25
/** The server recomputes the ranking within five minutes. */
const RENEWED_MS = 60_000
const USUAL_PERIOD = '7d'
/** Values of the parameter `exclude_arbitrage`. */
const EXCLUDED = ['false', 'true'] as const
const USUAL_EXCLUDED = 'false'

export function Ranks({ mode }: { mode: PnlMode }) {
  const period = choiceOf('period', LEADERBOARD_PERIODS, USUAL_PERIOD)
  const excluded = choiceOf('exclude_arbitrage', EXCLUDED, USUAL_EXCLUDED)
  const offset = offsetOf()
  const ranks = useLoaded(
    `ranks ${period} ${mode} ${excluded} ${offset}`,
    (signal) =>
      get(
        '/v2/pnl/leaderboard/top',
        // One more than are shown: whether there is another page.
        { period, pnl_mode: mode, exclude_arbitrage: excluded, limit: ROWS + 1, offset },
        signal,
      ),
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel
      title="Wallets"
      class="ranks"
      note={`${period}, ${excluded === 'true' ? 'without arbitrage' : 'all wallets'}`}
      aside={
        <div class="choices">
          <Choice
            name="period"
            label="Period"
            values={LEADERBOARD_PERIODS}
            chosen={period}
            usual={USUAL_PERIOD}
            also={FIRST_PAGE}
          />
          <Choice
            name="exclude_arbitrage"
            label="Arbitrage"
            values={EXCLUDED}
            chosen={excluded}
            usual={USUAL_EXCLUDED}
            textOf={(value) => (value === 'true' ? 'without arbitrage' : 'all')}
            also={FIRST_PAGE}
          />
        </div>
      }
    >
      <States of={ranks} rows={15}>
        {(found) => <Page of={found} />}
      </States>
    </Panel>
  )
}

function Page({ of }: { of: Leaderboard }) {
  const offset = Number(of.offset)
  const rows = of.leaderboard.slice(0, ROWS)
  return (
    <>
      {rows.length > 0 && <Table rows={rows} />}
      {rows.length === 0 && (
        <p class="empty">
          {offset > 0
            ? `There are no ${offset + 1} wallets in ${of.period}.`
            : `No wallet traded in ${of.period}.`}
        </p>
      )}
      <Pager
        noun="wallets"
        offset={offset}
        shown={rows.length}
        limit={ROWS}
        hasNext={of.leaderboard.length > ROWS}
      />
    </>
  )
}

/** A share of 0 to 1. */
const winRateFigure = (value: number): Figure => ({
  text: `${(value * 100).toFixed(1)}%`,
  exact: `${plainText(value)} of the covered sells of the window`,
})

function Table({ rows }: { rows: Rows }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col" class="num">
              #
            </th>
            <th scope="col">Wallet</th>
            <th scope="col" class="num">
              Realized
            </th>
            <th scope="col" class="num" title="Covered sells with adjusted profit; 0 without any">
              Win rate
            </th>
            <th scope="col" class="num">
              Trades
            </th>
            <th scope="col">Tags</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.wallet} data-wallet={row.wallet}>
              <td class="num quiet" data-figure="rank">
                <Num value={row.rank} as={exactFigure} />
              </td>
              <td>
                <WalletLink wallet={row.wallet} />
                {row.is_kol && <span class="flag kol">KOL</span>}
              </td>
              <td class="num" data-figure="realized_sol">
                <Realized value={row.realized_sol} />
              </td>
              <td class="num" data-figure="win_rate">
                <Num value={row.win_rate} as={winRateFigure} />
              </td>
              <td class="num" data-figure="trade_count">
                <Num value={row.trade_count} as={countFigure} />
              </td>
              <td class="quiet">{row.tags.map(spaced).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** SOL that were realized, in the colour of their sign. */
export function Realized({ value }: { value: number }) {
  return <Num value={value} as={solFigure} class={value < 0 ? 'down' : value > 0 ? 'up' : ''} />
}
