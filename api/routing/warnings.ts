/** Warnings about unknown parameters, for routes that do not refuse them. Pure. */
import type { TObject } from 'typebox'
import { namesOf } from './parameters.ts'
import { meantBy } from './unknown-names.ts'

export function warningsOf(unsupported: readonly string[], parameters: TObject): string[] {
  const known = namesOf(parameters)
  return unsupported.map((name) => {
    const meant = meantBy(name, known)
    const asked = meant === null ? '' : `; did you mean "${meant}"?`
    return `unsupported parameter "${name}": it was ignored${asked}`
  })
}
