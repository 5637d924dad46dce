import type { PageContext } from '../page.ts'

const firstPauseMs = 1_000
const maxPauseMs = 15_000

/** Calls `look` with growing pauses as long as it returns true and the page is shown. The returned function starts or restarts this. */
export function createWatch({ isOpen }: Pick<PageContext, 'isOpen'>, look: () => Promise<boolean>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0
  const lookAfter = (pauseMs: number, ofTurn: number) => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      if (!isOpen() || !(await look()) || ofTurn !== turn) return
      lookAfter(Math.min(maxPauseMs, pauseMs * 1.2), ofTurn)
    }, pauseMs)
  }
  return () => {
    turn += 1
    lookAfter(firstPauseMs, turn)
  }
}
