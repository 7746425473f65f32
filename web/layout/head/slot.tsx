/** The slot of a page and its age, as a line below its title; a strip where the address pins an earlier one. */
import { useContext } from 'preact/hooks'
import { now } from '../../client/clock.ts'
import { addressWith } from '../../client/location.ts'
import { Slot } from '../../client/slot/figures.ts'
import type { Moment } from '../../client/slot/moment.ts'
import { SLOT_PARAMETER } from '../../client/slot/scope.tsx'
import { agoText, exactTimeText } from '../../format/time.ts'

export function SlotLine() {
  const page = useContext(Slot)
  const moment = page?.shown.value
  if (page === undefined || moment === undefined || moment.slot === null) return null
  return page.isPinned ? <PinnedStrip of={moment} /> : <LiveLine of={moment} />
}

function LiveLine({ of: { slot, timestamp } }: { of: Moment }) {
  return (
    <p class="slot-line quiet" data-slot={String(slot)}>
      Figures of slot{' '}
      <a
        class="plain"
        href={addressWith({ [SLOT_PARAMETER]: String(slot) })}
        title="The page as of this slot"
      >
        {String(slot)}
      </a>
      {timestamp !== null && (
        <span title={exactTimeText(timestamp)}>, {agoText(timestamp, now.value)}</span>
      )}
    </p>
  )
}

function PinnedStrip({ of: { slot, timestamp } }: { of: Moment }) {
  return (
    <p class="slot-line pinned" data-slot={String(slot)}>
      <strong>As of slot {String(slot)}</strong>
      {timestamp === null ? ', before the first swap' : `, ${exactTimeText(timestamp)}`}{' '}
      <a class="plain" href={addressWith({ [SLOT_PARAMETER]: undefined })}>
        Show now
      </a>
    </p>
  )
}

/** Marks figures that are of now on a page that reads at a slot, and those that newer swaps concern. */
export function SlotMark({ isOfNow }: { isOfNow: boolean }) {
  const page = useContext(Slot)
  if (page === undefined) return null
  if (isOfNow) {
    return (
      <span class="slot-mark" title="These figures are of now: they cannot be read as of a slot">
        now
      </span>
    )
  }
  if (!page.hasNewer.value) return null
  return (
    <span class="slot-mark newer" title="Newer swaps are about to be shown">
      newer
    </span>
  )
}
