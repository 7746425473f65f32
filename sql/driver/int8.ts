/** int8 as the database writes it: canonical Int64 (number when safe, else bigint), never through a double. Pure. */

export function parseInt8(text: string): number | bigint {
  const near = Number(text)
  return Number.isSafeInteger(near) ? near : BigInt(text)
}
