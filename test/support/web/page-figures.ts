// Every figure of a page with the row that it belongs to, and its comparison with the JSON of the API, digit by digit:
// neither side goes through a double.

import { isLosslessNumber, parse } from 'lossless-json'
import type { Page } from 'playwright-core'
import { until } from '../workers/pipeline.ts'

/** A figure as a page shows it. */
export type PageFigure = {
  /** Classes of its panel; empty outside of one. */
  panel: string
  /** Attribute that names the row, with its value; empty for a figure of the panel itself. */
  row: string
  name: string
  /** Exact values in its place: the titles of its numbers. */
  exact: string[]
}

/** A JSON object whose numbers are the literals of the answer. */
export type ExactRow = Record<string, unknown>

const DRAWN_BOUND_MS = 60_000
const LAMPORT_DIGITS = 9
const LAMPORTS = /_lamports$|^(?:sol_amount|fee|creator_fee|cashback|real_sol_reserves)$/
const ROWS = [
  ...['trade', 'mint', 'wallet', 'pool', 'swap', 'factor', 'window', 'day', 'heat', 'sell'],
  ...['match', 'lot', 'totals', 'tag', 'highlight'],
].map((name) => `data-${name}`)

/** Opens views by the address only, as a link inside the pages does, and waits until all of their answers are drawn. */
export function viewsOf(page: Page) {
  const pending = new Set<unknown>()
  page.on('request', (request) => request.resourceType() === 'fetch' && pending.add(request))
  page.on('requestfinished', (request) => pending.delete(request))
  page.on('requestfailed', (request) => pending.delete(request))
  return async (path: string): Promise<PageFigure[]> => {
    await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)});
      dispatchEvent(new PopStateEvent('popstate'))`)
    await until(`${path} is drawn`, DRAWN_BOUND_MS, async () => {
      await page.evaluate(
        'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))',
      )
      if (pending.size > 0) return false
      return page.evaluate<boolean>(`document.querySelector('main [data-figure]') !== null
        && document.querySelector('.loading') === null
        && Array.from(document.querySelectorAll('.tile'), ({ textContent }) => textContent)
          .every((text) => !text.includes('…'))`)
    })
    return readFigures(page)
  }
}

function readFigures(page: Page): Promise<PageFigure[]> {
  return page.evaluate<PageFigure[]>(`Array.from(
    document.querySelectorAll('[data-figure]'),
    (holder) => {
      const row = holder.closest(${JSON.stringify(ROWS.map((name) => `[${name}]`).join())})
      const attribute = ${JSON.stringify(ROWS)}.find((name) => row?.hasAttribute(name))
      return {
        panel: holder.closest('.panel')?.className.replace(/^panel */, '') ?? '',
        row: row === null ? '' : attribute + ' ' + row.getAttribute(attribute),
        name: holder.dataset.figure,
        exact: Array.from(holder.querySelectorAll('.num[title]'), ({ title }) => title),
      }
    },
  )`)
}

/** Numbers stay the literals of the text. */
export function parseLiterals(text: string): unknown {
  return parse(text)
}

/** A decimal literal without zeros that do not count, as digits and exponent of 10. */
function canonical(text: string, digitsLess = 0): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  if (whole === '') return `not a number: ${text}`
  const digits = (whole + fraction).replace(/^0+/, '')
  const counted = digits.replace(/0+$/, '')
  if (counted === '') return '0'
  const zeros = digits.length - counted.length
  return `${sign}${counted}e${Number(exponent) - fraction.length + zeros - digitsLess}`
}

/** Why a figure is not the value of the API; undefined: it is. `decimals`: of the token that amounts are of. */
export function differenceOf(
  name: string,
  exact: string | undefined,
  value: unknown,
  decimals: number | null,
): string | undefined {
  if (value === null || value === undefined) {
    return exact === undefined ? undefined : `${name}: shown ${exact}, the API has none`
  }
  const literal = isLosslessNumber(value) ? value.value : String(value)
  if (exact === undefined) return `${name}: not shown, the API has ${literal}`
  const shown = /^-?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?/.exec(exact)?.[0].replaceAll(',', '') ?? exact
  const isLamports = exact.endsWith(' SOL') && LAMPORTS.test(name)
  const tokenDigits = exact.endsWith(' tokens') ? (decimals ?? Number.NaN) : 0
  const digits = isLamports ? LAMPORT_DIGITS : tokenDigits
  return canonical(shown) === canonical(literal, digits)
    ? undefined
    : `${name}: shown ${exact}, the API has ${literal}`
}
