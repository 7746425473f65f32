/** Numbers by the digits that matter, and addresses by their ends, as pages and their previews show them. Pure. */
const MINUS = '\u2212'
const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉'
/** Zeros after the point from which they are counted instead of written. */
const WRITTEN_ZEROS_MAX = 3

/** Beyond trillions there is no short name, and the digits would not end. */
const EXPONENT_FROM = 1e15
const SHORT_FROM = 1_000_000
const ENDS = 4

/** A negative 0 has no sign. */
const signDisplay = 'negative'
const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0, signDisplay })
const short = new Intl.NumberFormat('en', {
  notation: 'compact',
  minimumSignificantDigits: 3,
  maximumSignificantDigits: 3,
})
const four = new Intl.NumberFormat('en', { maximumSignificantDigits: 4, signDisplay })

/** Whether the digits that are left after rounding are all 0: such a figure has no sign. */
export function showsZero(text: string): boolean {
  return !/[1-9]/.test(text)
}

/** 4 significant digits; from 10,000 on whole, from 1,000,000 on short, then by exponent; tiny ones with counted zeros. */
export function shortText(value: number): string {
  const size = Math.abs(value)
  const sign = value < 0 ? MINUS : ''
  if (size === 0) return '0'
  if (size >= EXPONENT_FROM) return sign + size.toExponential(2).replace('e+', 'e')
  if (size >= SHORT_FROM) return sign + short.format(size)
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

/** All digits in groups. */
export function exactCountText(value: number | bigint): string {
  return grouped.format(value)
}

/** All digits up to a million, then short. */
export function countText(value: number | bigint): string {
  return value < SHORT_FROM ? exactCountText(value) : short.format(value)
}

/** US dollars. */
export function usdText(value: number): string {
  return `${value < 0 ? MINUS : ''}$${shortText(Math.abs(value))}`
}

/** A signed percentage. */
export function changeText(value: number): string {
  const size = Math.abs(value)
  return signedPercent(value, size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

/** With a sign that follows from the digits that are shown. */
export function signedPercent(value: number, decimals: number): string {
  const size = Math.abs(value)
  const digits = size >= 1_000 ? shortText(size) : size.toFixed(decimals)
  if (showsZero(digits)) return `${digits}%`
  return `${value > 0 ? '+' : MINUS}${digits}%`
}

/** An address or signature, shortened in the middle. */
export function shortened(text: string, ends = ENDS): string {
  return text.length <= 2 * ends + 1 ? text : `${text.slice(0, ends)}…${text.slice(-ends)}`
}
