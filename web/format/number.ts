/**
 * Numbers as the pages show them: the digits that matter, with the exact value as a title. Integers are exact; a
 * double is shown with all its digits. Pure.
 */

import type { Int64 } from '../../domain/amount.ts'
import { counted, nounOf } from '../../domain/text/plural.ts'
import {
  changeText,
  countText,
  exactCountText,
  shortText,
  showsZero,
  signedPercent,
  usdText,
} from '../../domain/text/short-text.ts'

/** A figure: `text` is shown, `exact` is its title. */
export type Figure = { text: string; exact: string }

const LAMPORT_DIGITS = 9
const four = new Intl.NumberFormat('en', { maximumSignificantDigits: 4, signDisplay: 'negative' })

/** Class of a gain or a loss; none for what is unknown and for what is shown as 0. */
export function toneOf<Value extends Int64>(
  value: Value | null | undefined,
  as: (value: Value) => Figure,
): 'up' | 'down' | '' {
  if (!value || showsZero(as(value).text)) return ''
  return value > 0 ? 'up' : 'down'
}

/** A double as decimal digits, without an exponent. */
export function plainText(value: number): string {
  const text = String(value)
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text) ?? []
  if (exponent === undefined) return text
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** An integer of 10^-digits as an exact decimal: 414083087 lamports as 0.414083087. */
export function decimalText(value: Int64, digits: number): string {
  const units = BigInt(value)
  const size = (units < 0n ? -units : units).toString().padStart(digits + 1, '0')
  const whole = size.slice(0, size.length - digits)
  const fraction = size.slice(size.length - digits).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

export function countFigure(value: Int64): Figure {
  return { text: countText(value), exact: exactCountText(value) }
}

/** An integer of which every digit matters: a slot. */
export function exactFigure(value: Int64): Figure {
  const exact = exactCountText(value)
  return { text: exact, exact }
}

/** SOL, as a double of the API. */
export function solFigure(value: number): Figure {
  return { text: shortText(value), exact: `${plainText(value)} SOL` }
}

export function lamportsFigure(value: Int64): Figure {
  const exact = decimalText(value, LAMPORT_DIGITS)
  return { text: shortText(Number(exact)), exact: `${exact} SOL` }
}

/** Whole tokens of a mint with these decimals; base units where they are not known. */
export function tokensFigure(value: Int64, decimals: number | null): Figure {
  if (decimals === null)
    return { text: countFigure(value).text, exact: counted(value, 'base unit') }
  const exact = decimalText(value, decimals)
  return { text: shortText(Number(exact)), exact: `${exact} ${nounOf(Number(exact), 'token')}` }
}

export function usdFigure(value: number): Figure {
  return { text: usdText(value), exact: `${plainText(value)} USD` }
}

/** A signed percentage. */
export function changeFigure(value: number): Figure {
  return { text: changeText(value), exact: `${plainText(value)} %` }
}

/** A share of 0 to 100. */
export function shareFigure(value: number): Figure {
  return { text: `${four.format(value)}%`, exact: `${plainText(value)} %` }
}

/** Basis points as a signed percentage. */
export function bpsFigure(value: Int64): Figure {
  return { text: signedPercent(Number(value) / 100, 2), exact: `${value} basis points` }
}
