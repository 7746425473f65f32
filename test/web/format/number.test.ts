// Numbers of the pages: what is shown, and the exact value.

import test from 'ava'
import { shortText } from '../../../domain/text/short-text.ts'
import {
  bpsFigure,
  changeFigure,
  countFigure,
  decimalText,
  lamportsFigure,
  plainText,
  shareFigure,
  solFigure,
  tokensFigure,
  toneOf,
  usdFigure,
} from '../../../web/format/number.ts'

test('shows the digits that matter', (t) => {
  const shown = [0, 0.5, 12.3456, 999.96, 1_234.5, 9_999.4, 12_345.6, 999_999.4, 1_234_567, 5.4e9]
  t.deepEqual(shown.map(shortText), [
    ...['0', '0.5', '12.35', '1,000', '1,235', '9,999', '12,346', '999,999', '1.23M', '5.40B'],
  ])
  t.is(shortText(-12.3456), '\u221212.35')
})

test('an amount beyond trillions has an exponent', (t) => {
  t.is(shortText(999_000_000_000_000), '999T')
  t.is(shortText(1e15), '1.00e15')
  t.is(shortText(-9.223e18), '\u22129.22e18')
  t.is(shortText(Number.MAX_VALUE), '1.80e308')
  t.is(tokensFigure(9_223_372_036_854_775_807n, 0).text, '9.22e18')
  t.is(usdFigure(-1e47).text, '\u2212$1.00e47')
})

test('counts the zeros of a tiny number', (t) => {
  t.is(shortText(0.0012345), '0.001235')
  t.is(shortText(0.00012346), '0.0₃1235')
  t.is(shortText(0.00009654846561363369), '0.0₄9655')
  t.is(shortText(1.5e-12), '0.0₁₁15')
  t.is(shortText(-1e-10), '\u22120.0₉1')
})

test('writes a double without an exponent and without a lost digit', (t) => {
  const values = [0, 1, -1.5, 9.726826685743605e-8, 1e-7, 1e21, 1.234e25, 0.1 + 0.2, -5e-324]
  for (const value of values) {
    const text = plainText(value)
    t.is(Number(text), value)
    t.false(/e/.test(text), text)
  }
  t.is(plainText(9.726826685743605e-8), '0.00000009726826685743605')
  t.is(plainText(1.234e25), '12340000000000000000000000')
})

test('writes integers of base units as exact decimals', (t) => {
  t.is(decimalText(414_083_087, 9), '0.414083087')
  t.is(decimalText(-1n, 9), '-0.000000001')
  t.is(decimalText(9_223_372_036_854_775_807n, 9), '9223372036.854775807')
  t.is(decimalText(9_223_372_036_854_775_807n, 0), '9223372036854775807')
  t.is(decimalText(1_000_000_000n, 9), '1')
  t.is(lamportsFigure(9_223_372_036_854_775_807n).exact, '9223372036.854775807 SOL')
  t.is(tokensFigure(9_223_372_036_854_775_807n, 6).exact, '9223372036854.775807 tokens')
  t.is(tokensFigure(5, null).exact, '5 base units')
  t.deepEqual(countFigure(9_223_372_036_854_775_807n).exact, '9,223,372,036,854,775,807')
})

test('signs changes and impacts, and puts the sign before the currency', (t) => {
  t.is(changeFigure(5.217).text, '+5.22%')
  t.is(changeFigure(-45.25).text, '\u221245.3%')
  t.is(changeFigure(577.4).text, '+577%')
  t.is(changeFigure(0).text, '0.00%')
  t.is(bpsFigure(-74).text, '\u22120.74%')
  t.is(bpsFigure(123_456_789_012_345_678n).exact, '123456789012345678 basis points')
  t.is(usdFigure(-3.5).text, '\u2212$3.5')
})

test('a figure that rounds to 0 has neither sign nor colour', (t) => {
  for (const value of [0, -0, 0.0049, -0.0049, 1e-9, -5e-324]) {
    t.is(changeFigure(value).text, '0.00%', String(value))
    t.is(toneOf(value, changeFigure), '', String(value))
  }
  t.is(changeFigure(0.005).text, '+0.01%')
  t.is(toneOf(0.005, changeFigure), 'up')
  t.is(changeFigure(-0.0051).text, '\u22120.01%')
  t.is(toneOf(-0.0051, changeFigure), 'down')
  for (const bps of [0, -0, 0n]) t.is(bpsFigure(bps).text, '0.00%')
  t.is(bpsFigure(1n).text, '+0.01%')
  t.is(bpsFigure(-1).text, '\u22120.01%')
  // Amounts are shown by their digits, however small: they are 0 where they are exactly 0.
  for (const as of [solFigure, usdFigure, shareFigure, countFigure]) {
    t.notRegex(as(-0).text, /[-+\u2212]/)
    t.is(toneOf(-0, as), '')
  }
  t.is(lamportsFigure(0n).text, '0')
  t.is(toneOf(-1n, lamportsFigure), 'down')
  t.is(toneOf(null, changeFigure), '')
})

test('a percentage beyond any market stays short', (t) => {
  t.is(bpsFigure(9_223_372_036_854_775_807n).text, '+9.22e16%')
  t.is(bpsFigure(-123_456_789).text, '\u22121.23M%')
  t.is(bpsFigure(123_456).text, '+1,235%')
})
