/** A wallet: holdings and PnL, its days, its positions down to their lots, its swaps and its tags. */

import { shortened } from '../../domain/text/short-text.ts'
import { WALLET_WINDOWS } from '../../domain/time/wallet-window.ts'
import { PNL_MODES } from '../../domain/wallet/pnl-mode.ts'
import type { Answer } from '../client/request.ts'
import { type Figures, useFigures } from '../client/slot/figures.ts'
import { SlotPage } from '../client/slot/scope.tsx'
import { Choice } from '../layout/choice.tsx'
import { SlotLine } from '../layout/head/slot.tsx'
import { Layout } from '../layout/layout.tsx'
import { HistoryNote, States } from '../layout/panel.tsx'
import { Copy } from '../layout/values.tsx'
import { CalendarPanel, DayPanel } from './calendar.tsx'
import {
  chosenMode,
  chosenPeriod,
  firstDateOf,
  MODE_TEXTS,
  USUAL_MODE,
  USUAL_PERIOD,
} from './choices.ts'
import { CopiesPanel } from './copies/panel.tsx'
import { EquityPanel } from './equity.tsx'
import { HighlightsPanel } from './highlights.tsx'
import { PositionsPanel } from './positions.tsx'
import { ReturnsPanel } from './returns/panel.tsx'
import { SwapsPanel } from './swaps.tsx'
import { TagsPanel, useTags } from './tags.tsx'
import { Tiles } from './tiles.tsx'

type Performance = Answer<'getWalletPerformance'>

const RENEWED_MS = 30_000

export function WalletPage({ wallet }: { wallet: string }) {
  return (
    <SlotPage swaps={{ wallets: [wallet] }} restMs={RENEWED_MS}>
      <Wallet wallet={wallet} />
    </SlotPage>
  )
}

function Wallet({ wallet }: { wallet: string }) {
  const risk = useFigures(
    'getWalletRisk',
    `risk ${wallet}`,
    (read) => read('getWalletRisk', { wallet }),
    { everyMs: RENEWED_MS },
  )
  const performance = usePerformance(wallet)
  const tags = useTags(wallet)
  return (
    <Layout title={`Wallet ${shortened(wallet)}`}>
      <div class="heading">
        <h1>Wallet</h1>
        <span class="mono" title={wallet}>
          {shortened(wallet, 10)}
        </span>
        <Copy text={wallet} kind="wallet" />
        <Choices />
      </div>
      <SlotLine />
      <History wallet={wallet} />
      <States of={risk} rows={3}>
        {(found) => <Tiles {...{ wallet, performance }} risk={found} isOfNow={risk.isOfNow} />}
      </States>
      {risk.value !== undefined && (
        <>
          <div class="market">
            <EquityPanel performance={performance} />
            <CalendarPanel wallet={wallet} />
          </div>
          <DayPanel wallet={wallet} />
          <PositionsPanel wallet={wallet} tags={tags.value?.tags} />
          <ReturnsPanel wallet={wallet} />
          <CopiesPanel wallet={wallet} />
          <div class="market">
            <SwapsPanel wallet={wallet} />
            <div class="column">
              <HighlightsPanel wallet={wallet} />
              <TagsPanel tags={tags} />
            </div>
          </div>
        </>
      )}
    </Layout>
  )
}

/** Sells without a known cost, and from when on the history is complete. */
function History({ wallet }: { wallet: string }) {
  const summary = useFigures(
    'getWalletSummary',
    `summary ${wallet}`,
    (read) => read('getWalletSummary', { wallet }),
    { everyMs: RENEWED_MS },
  )
  return (
    <p class="history">
      <HistoryNote of={summary.value} sells={summary.value} />
    </p>
  )
}

/** Performance in the chosen mode and period. */
function usePerformance(wallet: string): Figures<Performance> {
  const mode = chosenMode()
  const period = chosenPeriod()
  return useFigures(
    'getWalletPerformance',
    `performance ${wallet} ${mode} ${period}`,
    (read, nowMs) =>
      read('getWalletPerformance', {
        ...{ wallet, pnl_mode: mode, from: firstDateOf(period, nowMs) },
      }),
    { everyMs: RENEWED_MS },
  )
}

function Choices() {
  const mode = chosenMode()
  return (
    <div class="choices panel-aside">
      <Choice
        name="pnl_mode"
        label="PnL mode"
        values={PNL_MODES}
        chosen={mode}
        usual={USUAL_MODE}
      />
      <Choice
        name="period"
        label="Period"
        values={WALLET_WINDOWS}
        chosen={chosenPeriod()}
        usual={USUAL_PERIOD}
      />
      <span class="quiet legend">{MODE_TEXTS[mode]}</span>
    </div>
  )
}
