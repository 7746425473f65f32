/**
 * Golden bytes of sealed history in `test/data/history/`, a file a format: what was written once must be read for ever. A
 * line has a name, the kind, the bytes in base64 and what they mean.
 */
import { readFileSync } from 'node:fs'
import { exactOf } from '../../../domain/amount.ts'
import { ADDED, INTEGERS, NULLABLE, type SealedSwap } from '../../../history/codec/row.ts'

export type Golden = { name: string; kind: string; bytes: Uint8Array; meaning: unknown }

type Line = { name: string; kind: string; bytes: string; meaning: unknown }

export const goldenPath = (format: number): URL =>
  new URL(`../../data/history/format_${format}.ndjson`, import.meta.url)

export function readGolden(format: number): Golden[] {
  const lines = readFileSync(goldenPath(format), 'utf8').trimEnd().split('\n')
  return lines.map((text) => {
    const { name, kind, bytes, meaning } = JSON.parse(text) as Line
    return { name, kind, bytes: Buffer.from(bytes, 'base64'), meaning }
  })
}

export const goldenLine = ({ name, kind, bytes, meaning }: Golden): string =>
  JSON.stringify({ name, kind, bytes: Buffer.from(bytes).toString('base64'), meaning })

type Written = Record<string, string | number | boolean | null>

/**
 * Integers are texts, so that no reader rounds them; doubles are the shortest texts that give their bits. Columns of a later format are
 * left out where they are null.
 */
export function writtenRow(row: SealedSwap): Written {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]): [string, Written[string]][] => {
      if (value === null && ADDED.some((added) => added === name)) return []
      if (value instanceof Uint8Array) return [[name, Buffer.from(value).toString('hex')]]
      const isInteger = name in INTEGERS || name in NULLABLE
      return [[name, isInteger && value !== null ? String(value) : (value as Written[string])]]
    }),
  ) as Written
}

export function rowOfWritten(written: Written): SealedSwap {
  const added = Object.fromEntries(ADDED.map((name) => [name, null]))
  return Object.fromEntries(
    Object.entries({ ...added, ...written }).map(([name, value]) => {
      if (name === 'signature') return [name, Uint8Array.from(Buffer.from(String(value), 'hex'))]
      const isInteger = name in INTEGERS || name in NULLABLE
      return [name, isInteger && value !== null ? exactOf(String(value)) : value]
    }),
  ) as SealedSwap
}
