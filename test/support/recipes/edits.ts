/**
 * Changes of files that carry out the recipes of CONTRIBUTING.md, each with the step that requires it. Commands of a
 * step are not among them.
 */
import { ACTOR } from './actor.ts'
import type { Edit } from './edit.ts'
import { ROUTE } from './route.ts'
import { SOURCE } from './source.ts'
import { TIMEFRAME } from './timeframe.ts'
import { VENUE } from './venue.ts'
import { WINDOW } from './window.ts'

/** Names that take the place of `<name>` in paths of steps, by recipe. */
export const NAMES: Readonly<Record<string, string>> = {
  venue: 'saber',
  route: 'venues',
  actor: 'activity',
  source: 'gzip-file',
}

/** In the order of the steps. */
export const EDITS: readonly Edit[] = [
  ...VENUE,
  ...TIMEFRAME,
  ...WINDOW,
  ...ROUTE,
  ...ACTOR,
  ...SOURCE,
]
