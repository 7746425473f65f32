/** Figures of stored swaps before and after they are sealed, by name. */
import type { FigurePlan } from '../measure/sample.ts'
import { PAGE_SWAPS } from '../reads/wallet-pages.ts'

/** Thirty busy days. */
export const SEGMENTS = 120
const GOAL = { signature: '<= 10', page: '<= 50' }
const STORED = { table: 'in the table', sealed: `sealed in ${SEGMENTS} segments` } as const
export type Storage = keyof typeof STORED

export const bytesIn = (storage: Storage) => `stored swap ${STORED[storage]}, with indexes`
export const signatureIn = (storage: Storage) => `GET /swaps/{signature} ${STORED[storage]}, p99`
export const pageIn = (storage: Storage) =>
  `page of ${PAGE_SWAPS} swaps of a wallet ${STORED[storage]}, p99`
export const RATE = {
  table: 'pool actor at full speed by itself',
  sealed: 'pool actor at full speed while swaps are sealed',
}
export const SEAL = { process: 'seal: CPU of the process', postgres: 'seal: CPU of PostgreSQL' }
const STORAGES = ['table', 'sealed'] as const

export const sealedFigures: readonly FigurePlan[] = [
  ...STORAGES.flatMap((storage): FigurePlan[] => [
    { figure: bytesIn(storage), unit: 'B', digits: 1 },
    { figure: signatureIn(storage), unit: 'ms', digits: 1, ...goalOf(storage, GOAL.signature) },
    { figure: pageIn(storage), unit: 'ms', digits: 1, ...goalOf(storage, GOAL.page) },
    { figure: RATE[storage], unit: 'swaps/s' },
  ]),
  { figure: SEAL.process, unit: 'us a swap', digits: 1, goal: '<= 20' },
  { figure: SEAL.postgres, unit: 'us a swap', digits: 1 },
]

function goalOf(storage: Storage, goal: string): { goal?: string } {
  return storage === 'sealed' ? { goal } : {}
}
