/** Name of the account that runs a command, as the audit records it. */
import { userInfo } from 'node:os'

/** A uid that has no name, as in a container that was told to take any, acts all the same. */
export function accountName(lookUp: () => { username: string }, uid: number | undefined): string {
  try {
    return lookUp().username
  } catch {
    return `uid:${uid}`
  }
}

export const CLI_ACTOR = `cli:${accountName(userInfo, process.getuid?.())}`
