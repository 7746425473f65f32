/** Files of the data folder beside the project, which may be absent. */
import { existsSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../data/chain/', import.meta.url)
export const isChainHere = existsSync(FOLDER)

export const readChainFile = (file: string): Buffer => readFileSync(new URL(file, FOLDER))
