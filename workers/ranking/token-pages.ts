/** Tokens a page at a time: the ranking reads each page by one statement. */

const TOKENS_AT_ONCE = 1_000
const PAGES_AT_ONCE = 2

/** Calls `work` for each page of tokens; the database reads one page while another is applied here. */
export async function byPages(
  tokenIds: readonly number[],
  work: (page: readonly number[]) => Promise<void>,
): Promise<void> {
  let from = 0
  const reader = async (): Promise<void> => {
    while (from < tokenIds.length) {
      const page = tokenIds.slice(from, from + TOKENS_AT_ONCE)
      from += TOKENS_AT_ONCE
      await work(page)
    }
  }
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, reader))
}
