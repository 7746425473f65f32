/** Files of `test/data/chain/`. */
import { readFileSync } from 'node:fs'

const FOLDER = new URL('../../data/chain/', import.meta.url)

export const readChainFile = (file: string): Buffer => readFileSync(new URL(file, FOLDER))
