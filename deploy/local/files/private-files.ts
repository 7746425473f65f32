// Files and folders that hold secrets of a server: open to the server's account alone, regardless of the mode that an
// earlier start or the shell's umask left. A file is recreated each time, so that a planted link is not followed.

import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { type Account, give } from '../account.ts'

export async function privateFolder(folder: string, account: Account): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o700)
  await give(account, folder)
}

export async function privateFile(path: string, text: string, account: Account): Promise<void> {
  await rm(path, { force: true })
  await writeFile(path, text, { mode: 0o600, flag: 'wx' })
  await give(account, path)
}
