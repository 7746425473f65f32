/**
 * The lake: a folder with the swaps of each whole UTC day as a file of Parquet, and `lake.json`, which lists them. `swaptide export
 * --daily` writes it. It is a copy: the database stays the source of truth, and the folder may be deleted.
 *
 * Law: a file counts as it is listed. A file that is missing or has another size is an error that names it, never a shorter
 * answer.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

export const LAKE_LIST = 'lake.json'
/** Raised when a reader of the list must change. */
export const LAKE_VERSION = 1

/** `type`: as in the manifest of an export. */
export type LakeColumn = {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly description: string
}
export type LakeDay = {
  /** `2026-11-01`, UTC. */
  readonly day: string
  /** Relative to the folder. */
  readonly file: string
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
  /** A hash of the stored rows, by which a changed day is noticed. */
  readonly content_hash: string
  /** Slots of the day that no source has read. */
  readonly coverage_gaps: readonly { readonly from_slot: number; readonly to_slot: number }[]
}
export type Lake = {
  readonly lake_version: number
  readonly columns: readonly LakeColumn[]
  /** Ascending. */
  readonly days: readonly LakeDay[]
}

/** A folder whose list or files are not those of a lake; the message names the remedy. */
export class LakeUnusable extends Error {}

/** The list of a folder; undefined where there is none. Rejects with LakeUnusable. */
export async function readLake(folder: string): Promise<Lake | undefined> {
  const path = join(folder, LAKE_LIST)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new LakeUnusable(`"${path}" cannot be read: ${(cause as Error).message}`, { cause })
  }
  const lake = parsed(text, path)
  if (lake.lake_version === LAKE_VERSION && Array.isArray(lake.days)) return lake
  throw new LakeUnusable(
    `"${path}" has version ${lake.lake_version}, expected ${LAKE_VERSION}: write the days to a new folder`,
  )
}

function parsed(text: string, path: string): Lake {
  try {
    return JSON.parse(text) as Lake
  } catch (cause) {
    throw new LakeUnusable(
      `"${path}" is no JSON: remove it, and run "swaptide export --daily" again`,
      { cause },
    )
  }
}

/** Absolute or relative paths, as the folder is, of all days. Rejects with LakeUnusable. */
export async function lakeFiles(folder: string): Promise<{ lake: Lake; paths: string[] }> {
  const lake = await readLake(folder)
  if (lake === undefined || lake.days.length === 0) {
    throw new LakeUnusable(
      `"${folder}" has no day of swaps: write them by "swaptide export --daily ${folder}"`,
    )
  }
  const paths = await Promise.all(lake.days.map((day) => checkedPath(folder, day)))
  return { lake, paths }
}

async function checkedPath(folder: string, { file, bytes }: LakeDay): Promise<string> {
  const path = join(folder, file)
  const size = await sizeOf(path)
  if (size === bytes) return path
  throw new LakeUnusable(
    `"${path}" ${size === undefined ? 'is missing' : `has ${size} bytes, expected ${bytes}`}: run "swaptide export --daily" again`,
  )
}

/** Undefined where there is no such file. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
