/** Wallets by realized PnL in a trailing window, and the days of the KOLs, in one of the three modes. */
import { PNL_MODES, type PnlMode } from '../../domain/wallet/pnl-mode.ts'
import { choiceOf } from '../client/location.ts'
import { PinnablePage } from '../client/slot/scope.tsx'
import { Choice } from '../layout/choice.tsx'
import { SlotLine } from '../layout/head/slot.tsx'
import { Layout } from '../layout/layout.tsx'
import { FIRST_PAGE } from '../layout/pager.tsx'
import { KolCalendar } from './calendar.tsx'
import { Ranks } from './ranks.tsx'

const USUAL = 'adjusted'
const MODES: Readonly<Record<PnlMode, string>> = {
  adjusted: 'weighted average cost',
  strict: 'FIFO lots',
  raw: 'cash flow',
}

export function LeaderboardPage() {
  const mode = choiceOf('pnl_mode', PNL_MODES, USUAL)
  return (
    <PinnablePage>
      <Layout title="Leaderboard">
        <div class="heading">
          <h1>Leaderboard</h1>
          <Choice
            name="pnl_mode"
            label="Mode of realized"
            values={PNL_MODES}
            chosen={mode}
            usual={USUAL}
            also={FIRST_PAGE}
          />
          <span class="quiet">realized by {MODES[mode]}, in SOL</span>
        </div>
        <SlotLine />
        <Ranks mode={mode} />
        <KolCalendar mode={mode} />
      </Layout>
    </PinnablePage>
  )
}
