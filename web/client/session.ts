/** Whether this browser has a key, as the answers show it. */
import { signal } from '@preact/signals'

/** Whether the pages are public: the server marks them, and a browser without a key reads them. */
export const IS_PUBLIC = document.querySelector('meta[name="swaptide-pages"]') !== null

/** True once a request was refused for want of a key, until a sign-in. */
export const needsKey = signal(false)
/** Counts sign-ins: requests that were refused are sent again. */
export const signIns = signal(0)

export function noteSignIn(): void {
  needsKey.value = false
  signIns.value += 1
}
