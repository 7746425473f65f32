/** The faults of the drill, in the order of their names in reports. */
import { CONNECTION_FAULTS } from './faults/connections.ts'
import { FULL_DISK, PROMOTION } from './faults/database.ts'
import { EVERYTHING } from './faults/everything.ts'
import type { Fault } from './faults/fault.ts'
import { PART_FAULTS } from './faults/parts.ts'
import { SERVER_FAULTS } from './faults/servers.ts'
import { NO_DISK } from './installation.ts'

export const FAULTS: readonly Fault[] = [
  ...PART_FAULTS,
  ...SERVER_FAULTS,
  ...CONNECTION_FAULTS,
  PROMOTION,
  ...(NO_DISK === undefined ? [FULL_DISK] : []),
  EVERYTHING,
]
