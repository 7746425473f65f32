/** A page that reads at a slot: that of its address, else the newest one, which the feed moves on. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import type { StreamedSwap } from '../../../clients/typescript/generated.ts'
import { type Subscription, subscribe } from '../feed.ts'
import { view } from '../location.ts'
import { signIns } from '../session.ts'
import { Slot } from './figures.ts'
import { readNewest, readPinned } from './moment.ts'
import { type PageSlot, pageSlot } from './page-slot.ts'

/** Parameter of the address. */
export const SLOT_PARAMETER = 'slot'

type SlotPageProps = {
  /** Swaps that concern the page; absent: none does. */
  swaps?: Subscription['filter']
  /** Milliseconds after which it moves without them; absent: never. */
  restMs?: number
  children: ComponentChildren
}

export function SlotPage({ swaps, restMs, children }: SlotPageProps) {
  const pinned = view.value.query.get(SLOT_PARAMETER)
  const attempts = signIns.value
  const page = useMemo(
    () =>
      pinned === null
        ? pageSlot({ read: readNewest, isPinned: false, restMs })
        : pageSlot({ read: (signal) => readPinned(pinned, signal), isPinned: true }),
    [pinned, attempts],
  )
  useLayoutEffect(() => {
    page.start()
    return page.close
  }, [page])
  const cursor = page.shown.value?.cursor ?? null
  const isFollowed = !page.isPinned && swaps !== undefined && cursor !== null
  useLayoutEffect(
    () => (isFollowed ? follow(page, swaps, cursor) : undefined),
    // The feed moves its cursor itself: only the first one counts.
    [page, isFollowed],
  )
  return <Slot.Provider value={page}>{children}</Slot.Provider>
}

/** A page that the feed continues: its address may pin a slot, and without one every part is of now. */
export function PinnablePage({ children }: { children: ComponentChildren }) {
  if (!view.value.query.has(SLOT_PARAMETER)) return children
  return <SlotPage>{children}</SlotPage>
}

function follow(page: PageSlot, filter: Subscription['filter'], cursor: string): () => void {
  return subscribe({
    channel: 'swaps',
    ...{ filter, cursor },
    onFrame: (events) => {
      for (const { slot } of events as StreamedSwap[]) page.note(slot)
    },
    // Events that were lost are in the newest slot.
    onLost: () => page.note(0n),
  })
}
