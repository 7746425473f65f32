/** A plot; its library is fetched alongside the first answers, so that figures do not wait for it. */
import { deferred } from '../layout/deferred.tsx'

export const Plot = deferred(
  async () => (await import('./plot.tsx')).Plot,
  (text) => (
    <div class="plot quiet" role="status">
      {text}
    </div>
  ),
)
