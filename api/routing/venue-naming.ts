/**
 * Names of venues in answers, by the setting of an installation. Pure.
 *
 * Presenters always write `venue_<id>`. A schema marks the fields that hold such a name; the schema of an installation
 * that names programs marks them otherwise, and the writer that is compiled from it translates. Text that is no name of
 * a venue (`all`) is written as it is.
 *
 * Decision: docs/decisions/0047-names-of-venues-are-a-matter-of-writers.md
 */
import type { TSchema } from 'typebox'
import { dexOfText, shownVenue, type VenueNaming } from '../../domain/venue.ts'

/** Format of a parameter that is a venue: any of VENUE_TEXTS; its value is the DexId. */
export const VENUE = 'venue'
/** Format of a field that holds the name of a venue. */
export const VENUE_NAME = 'venue-name'
/** The same where the program names it. */
export const PROGRAM_NAME = 'program-name'

/** The schema of answers that name venues so. */
export function namedSchema<Schema extends TSchema>(schema: Schema, naming: VenueNaming): Schema {
  if (naming === 'ids') return schema
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'format' && value === VENUE_NAME ? PROGRAM_NAME : value,
  ) as Schema
}

/** A name as a field of this format has it. */
export function venueText(name: string, naming: VenueNaming): string {
  const dex = dexOfText(name)
  return dex === undefined ? name : shownVenue(dex, naming)
}
