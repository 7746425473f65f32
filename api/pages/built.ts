/** The pages that a package holds, built when it was made. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BUILT } from '../http/built-folder.ts'
import type { BuiltFile, BuiltPages } from './build.ts'

const INDEX = 'pages.json'

/** Undefined in a clone. */
export async function readBuilt(): Promise<BuiltPages | undefined> {
  if (!existsSync(join(BUILT, INDEX))) return undefined
  const pages = JSON.parse(await readFile(join(BUILT, INDEX), 'utf8')) as BuiltPages['pages']
  const [fingerprinted, named] = await Promise.all([
    readFiles(join(BUILT, 'fingerprinted')),
    readFiles(join(BUILT, 'named')),
  ])
  return { fingerprinted, named, pages }
}

/** Into the `built` folder of a package. */
export async function writeBuilt(folder: string, built: BuiltPages): Promise<void> {
  for (const kind of ['fingerprinted', 'named'] as const) {
    await mkdir(join(folder, kind), { recursive: true })
    for (const { name, body } of built[kind]) await writeFile(join(folder, kind, name), body)
  }
  await writeFile(join(folder, INDEX), JSON.stringify(built.pages))
}

async function readFiles(folder: string): Promise<BuiltFile[]> {
  const names = await readdir(folder)
  return Promise.all(
    names.map(async (name) => ({ name, body: await readFile(join(folder, name)) })),
  )
}
