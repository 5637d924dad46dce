import type { PageContext } from '../page.ts'

const firstPauseMs = 1_000
const longestPauseMs = 15_000

/**
 * Looks again by itself, less and less often, while `look` says that there is more to come and the page is shown. The function it returns
 * begins it, or begins it anew.
 */
export function createWatch({ isOpen }: Pick<PageContext, 'isOpen'>, look: () => Promise<boolean>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0
  const lookAfter = (pauseMs: number, ofTurn: number) => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      if (!isOpen() || !(await look()) || ofTurn !== turn) return
      lookAfter(Math.min(longestPauseMs, pauseMs * 1.2), ofTurn)
    }, pauseMs)
  }
  return () => {
    turn += 1
    lookAfter(firstPauseMs, turn)
  }
}
