/** A latest value: read once by REST for the first picture and its errors, then replaced by each frame of the feed. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Subscription, subscribe } from './feed.ts'
import { type Loaded, useLoaded } from './loaded.ts'

type LatestOptions<Value> = {
  load: (signal: AbortSignal) => Promise<Value>
  channel: Subscription['channel']
  filter: Subscription['filter']
  /** Undefined: the frame does not concern the value. */
  inFrame: (frame: unknown) => Value | undefined
}

/** `key`: names value and filter. */
export function useLatest<Value>(key: string, options: LatestOptions<Value>): Loaded<Value> {
  const { load, channel, filter, inFrame } = options
  const live = useSignal<Value | undefined>(undefined)
  const read = useLoaded(key, load)
  const isRead = read.value !== undefined
  useEffect(() => {
    live.value = undefined
    if (key === '' || !isRead) return
    return subscribe({
      channel,
      filter,
      onFrame: (frames) => {
        for (const frame of frames) live.value = inFrame(frame) ?? live.value
      },
    })
  }, [key, isRead])
  return { ...read, value: live.value ?? read.value }
}
