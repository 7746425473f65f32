/** The sparkline; its library is fetched alongside the first answers, so that figures do not wait for it. */
import { deferred } from '../layout/deferred.tsx'

export const Sparkline = deferred(
  async () => (await import('./sparkline.tsx')).Sparkline,
  () => <span class="sparkline" />,
)
