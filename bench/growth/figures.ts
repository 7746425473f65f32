/** Figures of a history that has grown, by name. */
import type { FigurePlan } from '../measure/sample.ts'
import { PAGE_SWAPS } from '../reads/wallet-pages.ts'

export const FIGURES = {
  bytes: 'grown history: a swap, all in',
  disk: 'grown history: database',
  rate: 'grown history: ingest of the last part',
  rates: 'grown history: ingest of the last part / of the first',
  seal: 'grown history: seal, process and PostgreSQL',
  signature: 'grown history: GET /swaps/{signature}, p99',
  page: `grown history: page of ${PAGE_SWAPS} swaps of a wallet, p99`,
  day: 'grown history: verification of a day',
} as const

export const growthFigures: readonly FigurePlan[] = [
  { figure: FIGURES.bytes, unit: 'B', goal: '<= 250' },
  { figure: FIGURES.disk, unit: 'GiB', digits: 1 },
  { figure: FIGURES.rate, unit: 'swaps/s' },
  { figure: FIGURES.rates, unit: '', goal: '>= 0.8', digits: 2 },
  { figure: FIGURES.seal, unit: 'us a swap', digits: 1 },
  { figure: FIGURES.signature, unit: 'ms', goal: '<= 10', digits: 1 },
  { figure: FIGURES.page, unit: 'ms', goal: '<= 50', digits: 1 },
  { figure: FIGURES.day, unit: 'minutes', digits: 1 },
]
