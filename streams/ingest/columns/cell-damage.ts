/**
 * Marks that spreadsheets and formatters leave in numbers and addresses, by name. Pure.
 *
 * Such a cell is refused and never mended: 9.00720E+15 has lost digits, and 1,234 is a number in one country and another
 * one in the next. The reason names what is in the cell, so that the export can be corrected.
 */

const SPACE = '[ \\u00a0\\u2007\\u2009\\u202f]'
const SEPARATOR = `[.,'’_]|${SPACE}`
const SIGN = '[+-]?'
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)'

const DAMAGES: readonly (readonly [RegExp, string])[] = [
  [/^#/, 'it is an error of a spreadsheet'],
  [/^=/, 'it is a formula of a spreadsheet'],
  [/^['’`]/, 'it begins with an apostrophe, with which a spreadsheet marks a text'],
  [
    // 9.00720E+15, 9,00720e15, 9.0072 x 10^15
    new RegExp(
      `^\\s*${SIGN}[\\d.,]*\\d[.,]?\\s*(?:[eE]\\s*${SIGN}\\d+|[x×*]\\s*10\\^?${SIGN}\\d+)\\s*$`,
    ),
    'it has an exponent, so a spreadsheet or a floating-point number may have cut its digits: export the column as text',
  ],
  [/\p{Sc}|◎/u, 'it has a currency sign'],
  [/%\s*$/, 'it has a percent sign'],
  [/^\s*\(.*\)\s*$/, 'it is in parentheses'],
  [/\.\.|…/, 'it is shortened'],
  [/^\d{1,4}([-/.])\d{1,2}\1\d{2,4}(?:\D|$)/, 'it is a date'],
  [new RegExp(`^(?:\\d{1,2}[-. ]${MONTH}|${MONTH}[-. ]\\d)`, 'i'), 'it is a date'],
  [/^\d+:\d{2}/, 'it is a time'],
  [
    new RegExp(
      `^${SIGN}\\d{1,3}(?:(?:${SEPARATOR})\\d{2,3})*(?:[,'’_]|${SPACE})\\d+(?:[.,]\\d+)?$`,
    ),
    'it has separators of thousands, or a decimal comma',
  ],
  [/^[+-]?\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?$/, 'it has separators of thousands'],
  [/^[+-]?\d+,\d*$/, 'it has a decimal comma'],
  [/^\s|\s$/, 'it has white space around it'],
  [/^\+/, 'it has a plus sign'],
  [/^-?0\d/, 'it has leading zeros'],
]

const POINT = /^-?\d+\.\d*$/
const POINT_FOUND =
  'it has a decimal point, and base units are whole: map whole tokens with {"decimals": ...}'

/** Completes a reason, `: it has an exponent`; '' for a text in which nothing of this kind is found. */
export function damageOf(text: string, isWhole: boolean): string {
  if (isWhole && POINT.test(text)) return `: ${POINT_FOUND}`
  const found = DAMAGES.find(([pattern]) => pattern.test(text))
  return found === undefined ? '' : `: ${found[1]}`
}

/** Days since 1900, of 2020 to 2099. */
const SERIAL_DAY = /^\d{5}(?:\.\d+)?$/
const SERIAL_DAY_MIN = 43_831
const SERIAL_DAY_MAX = 73_051

/** Whether a spreadsheet wrote a time as its number of days: no unit of Unix time has such a small one. */
export function isSerialDay(text: string): boolean {
  if (!SERIAL_DAY.test(text)) return false
  const days = Number(text)
  return days >= SERIAL_DAY_MIN && days < SERIAL_DAY_MAX
}
