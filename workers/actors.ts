/** The list of actors: adding one is a folder and a line here. */

import { ledgerActor } from './ledger/actor.ts'
import { poolActor } from './pool/actor.ts'
import { rankingActor } from './ranking/actor.ts'
import type { Actor } from './runtime/actor.ts'

export const ACTORS: readonly Actor[] = [poolActor, ledgerActor, rankingActor]

export const ACTOR_NAMES: readonly string[] = ACTORS.map((actor) => actor.name)
