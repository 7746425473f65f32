/** The wallets of a period by rank, a page at a time. */

import type { Leaderboard } from '../../clients/typescript/generated.ts'
import { WALLET_WINDOWS } from '../../domain/time/wallet-window.ts'
import { LEADERBOARD_PERIODS } from '../../domain/wallet/leaderboard.ts'
import type { PnlMode } from '../../domain/wallet/pnl-mode.ts'
import { choiceOf } from '../client/location.ts'
import { useFigures } from '../client/slot/figures.ts'
import { countFigure, exactFigure, type Figure, plainText, solFigure } from '../format/number.ts'
import { spaced } from '../format/text.ts'
import { Choice } from '../layout/choice.tsx'
import { FIRST_PAGE, offsetOf, Pager } from '../layout/pager.tsx'
import { HistoryNote, Panel, States } from '../layout/panel.tsx'
import { openParts, PartsButton } from '../layout/parts.tsx'
import { type TradedKind, TradedParts } from '../layout/traded-parts.tsx'
import { Num, WalletLink, walletViewPath } from '../layout/values.tsx'

type Rows = Leaderboard['leaderboard']

const ROWS = 25
/** The server recomputes the ranking within five minutes. */
const RENEWED_MS = 60_000
const USUAL_PERIOD = '7d'
/** Values of the parameter `exclude_arbitrage`. */
const EXCLUDED = ['false', 'true'] as const
const USUAL_EXCLUDED = 'true'

export function Ranks({ mode }: { mode: PnlMode }) {
  const period = choiceOf('period', LEADERBOARD_PERIODS, USUAL_PERIOD)
  const excluded = choiceOf('exclude_arbitrage', EXCLUDED, USUAL_EXCLUDED)
  const offset = offsetOf()
  const ranks = useFigures(
    'getLeaderboard',
    `ranks ${period} ${mode} ${excluded} ${offset}`,
    (read) => {
      const filter = { period, pnl_mode: mode, exclude_arbitrage: excluded === 'true' }
      // One more than are shown: whether there is another page.
      return read('getLeaderboard', { ...filter, limit: ROWS + 1, offset })
    },
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel
      title="Wallets"
      class="ranks"
      of={ranks}
      note={
        <>
          {period}, {excluded === 'true' ? 'without arbitrage' : 'all wallets'}{' '}
          <HistoryNote of={ranks.value} />
        </>
      }
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
        {(found) => <Page of={found} mode={mode} />}
      </States>
    </Panel>
  )
}

function Page({ of, mode }: { of: Leaderboard; mode: PnlMode }) {
  const offset = Number(of.offset)
  const rows = of.leaderboard.slice(0, ROWS)
  return (
    <>
      {rows.length > 0 && <Table rows={rows} mode={mode} period={of.period} />}
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

type TableProps = { rows: Rows; mode: PnlMode; period: Leaderboard['period'] }

function Table({ rows, mode, period }: TableProps) {
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
            <th
              scope="col"
              class="num"
              title="Covered sells with adjusted profit; unknown without any"
            >
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
            <Rank key={row.wallet} {...{ row, mode, period }} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const COLUMNS = 6
/** Parts of a rank by their names; each is a figure of the row. */
const KINDS = ['realized', 'win_rate', 'trades'] as const
type RankProps = Omit<TableProps, 'rows'> & { row: Rows[number] }

function Rank({ row, mode, period }: RankProps) {
  const { wallet } = row
  const nameOf = (kind: TradedKind): string => `${kind}-${wallet}`
  const kind = KINDS.find((each) => nameOf(each) === openParts())
  const isRateKnown = Number(row.covered_sell_count) > 0
  const figures = {
    realized: row.realized_sol,
    win_rate: row.win_rate,
    trades: Number(row.trade_count),
  }
  return (
    <>
      <tr data-wallet={wallet}>
        <td class="num quiet" data-figure="rank">
          <Num value={row.rank} as={exactFigure} />
        </td>
        <td>
          <WalletLink wallet={wallet} href={viewOf(wallet, { mode, period })} />
          {row.is_kol && <span class="flag kol">KOL</span>}
        </td>
        <td class="num" data-figure="realized_sol">
          <PartsButton name={nameOf('realized')} label={`realized of ${wallet}`}>
            <Realized value={row.realized_sol} />
          </PartsButton>
        </td>
        <td class="num" data-figure="win_rate">
          <PartsButton name={nameOf('win_rate')} label={`win rate of ${wallet}`}>
            <Num value={isRateKnown ? row.win_rate : null} as={winRateFigure} />
          </PartsButton>
        </td>
        <td class="num" data-figure="trade_count">
          <PartsButton name={nameOf('trades')} label={`trades of ${wallet}`}>
            <Num value={row.trade_count} as={countFigure} />
          </PartsButton>
        </td>
        <td class="quiet">{row.tags.map(spaced).join(', ')}</td>
      </tr>
      {kind !== undefined && (
        <tr class="opened">
          <td colSpan={COLUMNS}>
            <div class="lots">
              <p class="quiet">
                By token in {period}, {mode}.{' '}
                <a class="plain" href={viewOf(wallet, { mode, period, parts: 'realized' })}>
                  The wallet
                </a>{' '}
                shows its days, positions and lots.
              </p>
              <TradedParts
                {...{ wallet, mode, kind, span: { window: period }, figure: figures[kind] }}
              />
            </div>
          </td>
        </tr>
      )}
    </>
  )
}

type View = Pick<TableProps, 'mode' | 'period'> & { parts?: string }

/** The wallet in the same mode, and in the same window where its page has it. */
function viewOf(wallet: string, { mode, period, parts }: View): string {
  const window = WALLET_WINDOWS.find((each) => each === period)
  return walletViewPath(wallet, { pnl_mode: mode, period: window, parts })
}

/** SOL that were realized, in the colour of their sign. */
export function Realized({ value }: { value: number }) {
  return <Num value={value} as={solFigure} isToned />
}
