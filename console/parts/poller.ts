import type { PageContext } from '../page.ts'

const firstPauseMs = 1_000
const maxPauseMs = 15_000

/**
 * Returns a function that starts or restarts polling. `poll` is called at growing intervals for as long as it returns
 * true and the page is shown.
 */
export function createPoller({ isOpen }: Pick<PageContext, 'isOpen'>, poll: () => Promise<boolean>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0
  const pollAfter = (pauseMs: number, ofTurn: number) => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      if (!isOpen() || !(await poll()) || ofTurn !== turn) return
      pollAfter(Math.min(maxPauseMs, pauseMs * 1.2), ofTurn)
    }, pauseMs)
  }
  return () => {
    turn += 1
    pollAfter(firstPauseMs, turn)
  }
}
