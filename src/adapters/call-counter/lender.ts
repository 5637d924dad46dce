import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CallCount } from '../../domain/rate-limits/call-counter.ts'
import { type CountedKey, type Loan, nameOf } from './lending.ts'

/** A process that counts calls with what it has borrowed. */
export interface Borrower {
  /** Ends the loan with this name and returns how many of its calls were not used. */
  recall(name: string): Promise<number>
}

/** Counts the calls of several processes. */
export interface CallLender {
  add(counted: CountedKey & { points: number }): CallCount
  read(counted: CountedKey): CallCount
  /**
   * Lends calls of a key with this quota. Before it lends nothing that is within the quota, it recalls what other processes have not
   * used. The calls lent in one window never exceed the quota.
   */
  borrow(borrower: Borrower, counted: CountedKey & { quota: number }): Promise<Loan>
}

interface CountingWindow {
  total: number
  endsAt: number
  borrowers: Set<Borrower>
  recalling?: Promise<void> | undefined
}

/** How long to wait for processes that are too busy to give back what they have not used. */
const recallWithinMs = 250

/** Lends a share of what is left, so that loans are large at first and shrink towards the end of the quota. */
const sharesPerProcess = 2

export function createCallLender(processes: number): CallLender {
  const windows = new Map<string, CountingWindow>()

  /** The current window; undefined if none has started or the last one is over. */
  function find(counted: CountedKey): CountingWindow | undefined {
    const found = windows.get(nameOf(counted))
    return found !== undefined && performance.now() < found.endsAt ? found : undefined
  }

  function findOrStart(counted: CountedKey): CountingWindow {
    const found = find(counted)
    if (found !== undefined) return found
    const name = nameOf(counted)
    const started = { total: 0, endsAt: performance.now() + counted.windowMs, borrowers: new Set<Borrower>() }
    windows.set(name, started)
    setTimeout(() => {
      if (windows.get(name) === started) windows.delete(name)
    }, counted.windowMs).unref()
    return started
  }

  async function recall(counted: CountedKey, window: CountingWindow): Promise<void> {
    // Loans that were just granted are then on their way, ahead of the recall.
    await nextTurn()
    const borrowers = [...window.borrowers]
    window.borrowers.clear()
    const returns = borrowers.map(async (borrower) => {
      // What a process has borrowed and not used when it ends is lost until the next window.
      const unused = await borrower.recall(nameOf(counted)).catch(() => 0)
      // A late return belongs to a window that is over.
      if (find(counted) === window) window.total -= unused
    })
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, recallWithinMs)
    await Promise.race([Promise.all(returns), late])
    clearTimeout(timer)
  }

  const countOf = ({ total, endsAt }: CountingWindow): CallCount => ({ total, msLeft: endsAt - performance.now() })

  return {
    add({ points, ...counted }) {
      const window = findOrStart(counted)
      window.total += points
      return countOf(window)
    },

    read(counted) {
      const found = find(counted)
      return found === undefined ? { total: 0, msLeft: counted.windowMs } : countOf(found)
    },

    async borrow(borrower, { quota, ...counted }) {
      const before = findOrStart(counted)
      // It asks because it has used its last loan.
      before.borrowers.delete(borrower)
      if (before.total >= quota) {
        before.recalling ??= recall(counted, before).finally(() => {
          before.recalling = undefined
        })
        await before.recalling
      }
      const window = findOrStart(counted)
      const left = quota - window.total
      const first = window.total + 1
      if (left <= 0) {
        window.total += 1
        // The quota is used up until the window ends, so the process may count the calls it rejects by itself.
        return { first, last: Number.MAX_SAFE_INTEGER, msLeft: window.endsAt - performance.now() }
      }
      window.total += Math.max(1, Math.floor(left / (sharesPerProcess * processes)))
      window.borrowers.add(borrower)
      return { first, last: window.total, msLeft: window.endsAt - performance.now() }
    },
  }
}
