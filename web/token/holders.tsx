/** Holders of a token with their concentration, and the traders with the largest stakes. */

import { choiceOf } from '../client/location.ts'
import type { Answer } from '../client/request.ts'
import { type Figures, useFigures } from '../client/slot/figures.ts'
import { countFigure, shareFigure, solFigure, tokensFigure, usdFigure } from '../format/number.ts'
import { spaced } from '../format/text.ts'
import { Choice } from '../layout/choice.tsx'
import { ColumnHeads } from '../layout/column-heads.tsx'
import { HistoryNote, Panel, States } from '../layout/panel.tsx'
import { FigureLink, lotsPath, Num, WalletLink } from '../layout/values.tsx'
import { MarkButton } from './swaps.tsx'

type Intel = Answer<'getTokenIntel'>
type Holders = Answer<'listTokenHolders'>
type HolderPositions = Answer<'listTokenWhales'>

const ROWS = 12
/** The time for which the server caches them. */
const RENEWED_MS = 30_000

export function HoldersPanel({ mint, intel }: { mint: string; intel: Figures<Intel> }) {
  const holders = useFigures(
    'listTokenHolders',
    `holders ${mint}`,
    (read) => read('listTokenHolders', { mint, limit: ROWS }),
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel
      title="Holders"
      of={{ isOfNow: holders.isOfNow || intel.isOfNow }}
      note={
        <>
          by the ledger; transfers are not in it <HistoryNote of={holders.value} />
        </>
      }
    >
      {intel.value !== undefined && <Concentration of={intel.value.concentration} />}
      <States
        of={holders}
        rows={6}
        emptyText={(found) =>
          found.holders.length === 0 ? 'No wallet holds it by its swaps.' : undefined
        }
      >
        {(found) => (
          <Table
            mint={mint}
            of={found}
            decimals={intel.value === undefined ? null : numberOf(intel.value.decimals)}
          />
        )}
      </States>
    </Panel>
  )
}

const numberOf = (value: number | bigint | null): number | null =>
  value === null ? null : Number(value)

function Concentration({ of }: { of: Intel['concentration'] }) {
  return (
    <dl class="facts">
      <div data-figure="holder_count">
        <dt>Holders</dt>
        <dd>
          <Num value={of.holder_count} as={countFigure} />
        </dd>
      </div>
      <div data-figure="top1_pct">
        <dt>Largest holds</dt>
        <dd>
          <Num value={of.top1_pct} as={shareFigure} />
          {of.top1_pct !== null && (
            <meter max={100} value={of.top1_pct} aria-label="Share of the largest" />
          )}
        </dd>
      </div>
      <div data-figure="top10_pct">
        <dt>Ten largest hold</dt>
        <dd>
          <Num value={of.top10_pct} as={shareFigure} />
          {of.top10_pct !== null && (
            <meter max={100} value={of.top10_pct} aria-label="Share of the ten largest" />
          )}
        </dd>
      </div>
      <div data-figure="hhi">
        <dt>Concentration (HHI)</dt>
        <dd>
          <Num value={of.hhi} as={indexFigure} />
        </dd>
      </div>
    </dl>
  )
}

const indexFigure = (value: number) => ({
  text: value.toFixed(3),
  exact: `${value}, the sum of squared shares`,
})

type TableProps = { mint: string; of: Holders; decimals: number | null }

/** Each figure leads to the lots of the holding. */
function Table({ mint, of, decimals }: TableProps) {
  return (
    <div class="scroll">
      <table>
        <ColumnHeads
          of={['Wallet', { number: 'Share' }, { number: 'Tokens' }, { number: 'Value' }, 'Tags']}
        />
        <tbody>
          {of.holders.map((row) => (
            <tr key={row.wallet} data-wallet={row.wallet}>
              <td>
                <WalletLink wallet={row.wallet} />
                <MarkButton wallet={row.wallet} />
              </td>
              <td class="num" data-figure="share_pct">
                <FigureLink href={lotsPath(row.wallet, mint)} label={`holding of ${row.wallet}`}>
                  <Num value={row.share_pct} as={shareFigure} />
                </FigureLink>
              </td>
              <td class="num" data-figure="balance_atomic">
                <FigureLink href={lotsPath(row.wallet, mint)} label={`lots of ${row.wallet}`}>
                  <Num value={row.balance_atomic} as={(value) => tokensFigure(value, decimals)} />
                </FigureLink>
              </td>
              <td class="num" data-figure="current_value_usd">
                <Num value={row.current_value_usd} as={usdFigure} />
              </td>
              <td class="quiet">{row.tags.map(spaced).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const READS = { whales: 'listTokenWhales', 'smart-money': 'listTokenSmartMoney' } as const
const KINDS = ['whales', 'smart-money'] as const
const USUAL = 'whales'

export function TradersPanel({ mint }: { mint: string }) {
  const kind = choiceOf('traders', KINDS, USUAL)
  const positions = useFigures(
    READS[kind],
    `${kind} ${mint}`,
    (read) => read(READS[kind], { mint, limit: ROWS }),
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel
      title="Top traders"
      of={positions}
      note="in SOL, realized by weighted average cost"
      aside={
        <Choice
          name="traders"
          label="Kind of traders"
          values={KINDS}
          chosen={kind}
          usual={USUAL}
          textOf={(value) => value.replace('-', ' ')}
        />
      }
    >
      <States of={positions} rows={6} emptyText={(found) => emptyTextOf(found, kind)}>
        {(found) => <HolderPositionsTable of={found} />}
      </States>
    </Panel>
  )
}

function emptyTextOf(
  { results, tier_locked: isLocked, tier_required: tier }: HolderPositions,
  kind: string,
) {
  if (isLocked) return `This list needs a key of tier ${tier} or above.`
  if (results.length > 0) return undefined
  return kind === 'whales' ? 'No whale holds or bought it.' : 'No smart money traded it.'
}

/** Each figure leads to the lots of the position. */
function HolderPositionsTable({ of }: { of: HolderPositions }) {
  return (
    <div class="scroll">
      <table>
        <ColumnHeads
          of={[
            'Wallet',
            { number: 'Bought' },
            { number: 'Sold' },
            { number: 'Value' },
            { number: 'Realized' },
          ]}
        />
        <tbody>
          {of.results.map(({ wallet, position, realized_sol: realized }) => (
            <tr key={wallet} data-wallet={wallet}>
              <td>
                <WalletLink wallet={wallet} />
                <MarkButton wallet={wallet} />
              </td>
              <td class="num" data-figure="total_buys_sol">
                <FigureLink href={lotsPath(wallet, of.mint)} label={`lots of ${wallet}`}>
                  <Num value={position.total_buys_sol} as={solFigure} />
                </FigureLink>
              </td>
              <td class="num" data-figure="total_sells_sol">
                <FigureLink href={lotsPath(wallet, of.mint)} label={`lots of ${wallet}`}>
                  <Num value={position.total_sells_sol} as={solFigure} />
                </FigureLink>
              </td>
              <td class="num" data-figure="current_value_sol">
                <FigureLink href={lotsPath(wallet, of.mint)} label={`lots of ${wallet}`}>
                  <Num value={position.current_value_sol} as={solFigure} />
                </FigureLink>
              </td>
              <td class="num" data-figure="realized_sol">
                <FigureLink href={lotsPath(wallet, of.mint)} label={`lots of ${wallet}`}>
                  <Num value={realized} as={solFigure} isToned />
                </FigureLink>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
