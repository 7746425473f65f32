/**
 * Numbers as the pages show them: the digits that matter, with the exact value as a title. Integers are exact; a
 * double is shown with all its digits. Pure.
 */

import type { Int64 } from '../../domain/amount.ts'
import { counted, nounOf } from '../../domain/text/plural.ts'

/** A figure: `text` is shown, `exact` is its title. */
export type Figure = { text: string; exact: string }

const LAMPORT_DIGITS = 9
const MINUS = '\u2212'
const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉'
/** Zeros after the point from which they are counted instead of written. */
const WRITTEN_ZEROS_MAX = 3

/** Beyond trillions there is no short name, and the digits would not end. */
const EXPONENT_FROM = 1e15

/** A negative 0 has no sign. */
const signDisplay = 'negative'
const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0, signDisplay })
const short = new Intl.NumberFormat('en', {
  notation: 'compact',
  minimumSignificantDigits: 3,
  maximumSignificantDigits: 3,
})

const significant = (digits: number) =>
  new Intl.NumberFormat('en', { maximumSignificantDigits: digits, signDisplay })
const four = significant(4)

/** Class of a gain or a loss; none for what is unknown and for what is shown as 0. */
export function toneOf<Value extends Int64>(
  value: Value | null | undefined,
  as: (value: Value) => Figure,
): 'up' | 'down' | '' {
  if (!value || showsZero(as(value).text)) return ''
  return value > 0 ? 'up' : 'down'
}

/** Whether the digits that are left after rounding are all 0: such a figure has no sign. */
function showsZero(text: string): boolean {
  return !/[1-9]/.test(text)
}

/** 4 significant digits; from 10,000 on whole, from 1,000,000 on short, then by exponent; tiny ones with counted zeros. */
export function shortText(value: number): string {
  const size = Math.abs(value)
  const sign = value < 0 ? MINUS : ''
  if (size === 0) return '0'
  if (size >= EXPONENT_FROM) return sign + size.toExponential(2).replace('e+', 'e')
  if (size >= 1_000_000) return sign + short.format(size)
  if (size >= 10_000) return sign + grouped.format(size)
  if (size >= 0.001) return sign + four.format(size)
  return sign + tinyText(size)
}

/** 0.00009654 as 0.0₄9654. */
function tinyText(size: number): string {
  const [digits = '', exponent = '0'] = size.toExponential(3).split('e')
  const zeros = -Number(exponent) - 1
  const written = digits.replace('.', '').replace(/0+$/, '')
  if (zeros < WRITTEN_ZEROS_MAX) return `0.${'0'.repeat(zeros)}${written}`
  const counted = Array.from(String(zeros), (digit) => SUBSCRIPTS[Number(digit)]).join('')
  return `0.0${counted}${written}`
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
  const exact = grouped.format(value)
  return { text: value < 1_000_000 ? exact : short.format(value), exact }
}

/** An integer of which every digit matters: a slot. */
export function exactFigure(value: Int64): Figure {
  const exact = grouped.format(value)
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
  const sign = value < 0 ? MINUS : ''
  return { text: `${sign}$${shortText(Math.abs(value))}`, exact: `${plainText(value)} USD` }
}

/** A signed percentage. */
export function changeFigure(value: number): Figure {
  const size = Math.abs(value)
  return {
    text: signedPercent(value, size >= 100 ? 0 : size >= 10 ? 1 : 2),
    exact: `${plainText(value)} %`,
  }
}

/** With a sign that follows from the digits that are shown. */
function signedPercent(value: number, decimals: number): string {
  const size = Math.abs(value)
  const digits = size >= 1_000 ? shortText(size) : size.toFixed(decimals)
  if (showsZero(digits)) return `${digits}%`
  return `${value > 0 ? '+' : MINUS}${digits}%`
}

/** A share of 0 to 100. */
export function shareFigure(value: number): Figure {
  return { text: `${four.format(value)}%`, exact: `${plainText(value)} %` }
}

/** Basis points as a signed percentage. */
export function bpsFigure(value: Int64): Figure {
  return { text: signedPercent(Number(value) / 100, 2), exact: `${value} basis points` }
}
