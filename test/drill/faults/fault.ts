/** A fault of the drill: it ends by itself before `strike` returns. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Prng } from '../../../streams/simulator/prng.ts'
import type { Installation } from '../installation.ts'

export type Fault = { name: string; strike(on: Installation, struck: Struck): Promise<void> }

/** `frozenMsMax`: how long something is frozen at most, which is longer than the lease of a lane. */
export type Struck = { prng: Prng; frozenMsMax: number }

/** Milliseconds for which something is away at most. */
const AWAY_MS = 3_000
const FROZEN_MS_MIN = 12_000
export const BOUND_MS = 120_000

export const away = ({ prng }: Struck): Promise<void> => pause(prng.below(AWAY_MS))

export const whileFrozen = ({ prng, frozenMsMax }: Struck): Promise<void> =>
  pause(FROZEN_MS_MIN + prng.below(frozenMsMax - FROZEN_MS_MIN + 1))

export const anyOf = <T>({ prng }: Struck, all: readonly T[]): T => all[prng.below(all.length)] as T
