/** A named figure of a swap or of a sandwich. */
import type { ComponentChildren } from 'preact'

type FactProps = { name: string; figure?: string; children: ComponentChildren }

export function Fact({ name, figure, children }: FactProps) {
  return (
    <div data-figure={figure}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
