/** Adds venue 11. */
import type { Edit } from './edit.ts'

export const VENUE: readonly Edit[] = [
  {
    recipe: 'venue',
    step: 1,
    path: 'domain/venue.ts',
    old: '] as const satisfies readonly VenueRow[]',
    text: `  {
    dex: 11,
    name: 'venue_11',
    programName: 'saber',
    title: 'Saber',
    program: 'SSwpkEEcbUqx4vtoEByFjSkhKdCT862DNVb52nZg1UZ',
    ...RESERVES,
  },
] as const satisfies readonly VenueRow[]`,
  },
  {
    recipe: 'venue',
    step: 2,
    path: 'test/domain/venue.test.ts',
    old: "    '10 none',\n",
    text: "    '10 none',\n    '11 reserves_before',\n",
  },
]
