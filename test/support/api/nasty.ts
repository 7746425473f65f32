// Hostile inputs, and texts that no answer may contain: for the tests that send anything to every route.

const HANG_MS = 60_000

export const NASTY = [
  '',
  ' ',
  '0',
  '-1',
  '1',
  '1.5',
  '1e3',
  '1e999',
  'NaN',
  'Infinity',
  '-0',
  '00',
  '+1',
  '0x10',
  'null',
  'undefined',
  'true',
  'false',
  '[]',
  '{}',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '99999999999999999999999999',
  '2147483648',
  '1970-01-01',
  '2026-02-30',
  '9999-12-31',
  '0000-00-00',
  '-271821-04-20',
  'adjusted',
  "'; drop table swap; --",
  '%',
  '%%',
  '_',
  '\\',
  '$1',
  '../../etc/passwd',
  '\u0000',
  '\ud800',
  '𝄞☃',
  '\r\nX-Injected: 1',
  '<script>',
  '__proto__',
  'constructor',
  ',',
  ',,,',
  'a,b',
  '=',
  '&',
  '1'.repeat(44),
  'z'.repeat(44),
  'So11111111111111111111111111111111111111112',
  'x'.repeat(8_000),
]
/** Internal texts: a stack, a statement, a file. */
export const OURS =
  /\bat [\w.]+ \(|node_modules|file:\/\/|\bselect \w|insert into|pg_catalog|SQLSTATE|\.ts:\d/

/** Rejects where there is no answer for so long that a client would call it a hang. */
export function withinBound<Answer>(requested: string, answer: Promise<Answer>): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`hangs: ${requested.slice(0, 500)}`)), HANG_MS)
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer))
}
