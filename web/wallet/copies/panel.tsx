/**
 * "Copy this wallet": what copying it would have earned in the chosen period, by the delay of the copy. The period ends with the slot
 * of a page of then, else with the newest one.
 */
import { useSignal } from '@preact/signals'
import type { CopyBacktest, CopyBacktestJob } from '../../../clients/typescript/generated.ts'
import { DELAY_SLOTS_MAX } from '../../../domain/market/copy/settings.ts'
import { counted } from '../../../domain/text/plural.ts'
import { useLoaded } from '../../client/loaded.ts'
import { useIsPinned, usePinnedMoment } from '../../client/slot/figures.ts'
import { countFigure } from '../../format/number.ts'
import { Panel, States } from '../../layout/panel.tsx'
import { chosenPeriod, firstMsOf } from '../choices.ts'
import { loadCopies } from './load.ts'
import { Results } from './results.tsx'
import {
  bpsOf,
  type CopySettings,
  chooseSettings,
  chosenSettings,
  delaysOf,
  lamportsOf,
  USUAL,
} from './settings.ts'

export function CopiesPanel({ wallet }: { wallet: string }) {
  const settings = chosenSettings()
  const isOfNow = !useIsPinned()
  return (
    <Panel
      title="Copy this wallet"
      class="copies"
      {...(settings !== undefined && { of: { isOfNow } })}
      note="chosen with hindsight: a wallet that was picked for what it won wins here, too"
    >
      <Form settings={settings ?? USUAL} />
      {settings !== undefined && <Found {...{ wallet, settings }} />}
    </Panel>
  )
}

/** Nothing is computed before the settings are sent: a long period takes seconds. */
function Form({ settings }: { settings: CopySettings }) {
  const size = useSignal(settings.size)
  const delay = useSignal(settings.delay)
  const slippage = useSignal(settings.slippage)
  const isWrong =
    lamportsOf({ ...settings, size: size.value }) === undefined ||
    bpsOf({ ...settings, slippage: slippage.value }) === undefined
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault()
        chooseSettings({ size: size.value, delay: delay.value, slippage: slippage.value })
      }}
    >
      <label>
        SOL of each buy
        <input
          name="copy_size"
          inputMode="decimal"
          value={size.value}
          onInput={({ currentTarget }) => {
            size.value = currentTarget.value.trim()
          }}
        />
      </label>
      <label>
        <span>
          Delay: <output class="num">{counted(delay.value, 'slot')}</output>
        </span>
        <input
          name="copy_delay"
          type="range"
          min={0}
          max={DELAY_SLOTS_MAX}
          value={delay.value}
          onInput={({ currentTarget }) => {
            delay.value = Number(currentTarget.value)
          }}
        />
      </label>
      <label>
        Slippage, %
        <input
          name="copy_slippage"
          inputMode="decimal"
          value={slippage.value}
          onInput={({ currentTarget }) => {
            slippage.value = currentTarget.value.trim()
          }}
        />
      </label>
      <button type="submit" class="button" disabled={isWrong}>
        Copy this wallet
      </button>
    </form>
  )
}

function Found({ wallet, settings }: { wallet: string; settings: CopySettings }) {
  const period = chosenPeriod()
  const progress = useSignal<CopyBacktestJob | undefined>(undefined)
  const [lamports, bps] = [lamportsOf(settings), bpsOf(settings)]
  const delays = delaysOf(settings)
  const isUsable = lamports !== undefined && bps !== undefined
  const then = usePinnedMoment()
  const key =
    isUsable && then !== undefined
      ? `copies ${wallet} ${period} ${lamports} ${bps} ${settings.delay} ${then?.slot}`
      : ''
  const copies = useLoaded<CopyBacktest>(key, (signal) =>
    loadCopies(
      {
        wallets: [wallet],
        from: firstMsOf(period, then?.nowMs ?? Date.now()),
        ...(then?.slot != null && { to_slot: then.slot }),
        delay_slots: delays,
        size_lamports: [lamports ?? 1],
        slippage_bps: bps ?? 0,
      },
      signal,
      (job) => {
        progress.value = job
      },
    ),
  )
  if (!isUsable) return <p class="empty">Size and slippage of the address are no numbers.</p>
  const job = progress.value
  return (
    <>
      {job !== undefined && copies.value === undefined && (
        <p role="status" class="quiet">
          {countFigure(job.orders_done).text} of {counted(job.orders, 'order')} copied
        </p>
      )}
      <States of={copies} rows={10} emptyText={emptyTextOf}>
        {(found) => <Results of={found} delays={delays} />}
      </States>
    </>
  )
}

const emptyTextOf = ({ runs }: CopyBacktest): string | undefined =>
  Number(runs[0]?.orders ?? 0) === 0 ? 'The wallet has no order in this period.' : undefined
