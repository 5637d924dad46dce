import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CallCount, CallCounters } from '../../domain/rate-limits/call-counter.ts'
import { DomainError } from '../../kernel/errors.ts'
import { type CountedKey, type Loan, nameOf } from './lending.ts'

/** The process that counts for all: see `CallLender`. Each function throws if that process does not answer. */
export interface RemoteLender {
  add(counted: CountedKey & { points: number }): Promise<CallCount>
  read(counted: CountedKey): Promise<CallCount>
  borrow(counted: CountedKey & { quota: number }): Promise<Loan>
}

export interface BorrowedCounters {
  counters: CallCounters
  /** Ends a loan and returns how many of its calls were not used. */
  endLoan(name: string): Promise<number>
}

interface CurrentLoan {
  next: number
  last: number
  endsAt: number
}

/**
 * Counts calls together with other processes. Calls with a quota are counted with what this process has borrowed, so most need no
 * message; all others are counted by the lender at once. If the lender does not answer, calls are rejected with `service_unavailable`.
 */
export function createBorrowedCounters(lender: RemoteLender): BorrowedCounters {
  const loans = new Map<string, CurrentLoan>()
  const borrowing = new Map<string, Promise<void>>()

  async function borrow(name: string, counted: CountedKey & { quota: number }): Promise<void> {
    // The window ends at the lender a moment later than here, never earlier.
    const askedAt = performance.now()
    const { first, last, msLeft } = await lender.borrow(counted).catch(rejectCalls)
    const loan = { next: first, last, endsAt: askedAt + msLeft }
    loans.set(name, loan)
    setTimeout(() => {
      if (loans.get(name) === loan) loans.delete(name)
    }, msLeft).unref()
  }

  function takeFromLoan(name: string): CallCount | undefined {
    const loan = loans.get(name)
    if (loan === undefined || loan.next > loan.last) return undefined
    const msLeft = loan.endsAt - performance.now()
    if (msLeft <= 0) return undefined
    const total = loan.next
    loan.next += 1
    return { total, msLeft }
  }

  return {
    counters: {
      open({ name: counter, windowSeconds }) {
        const windowMs = windowSeconds * 1_000
        return {
          async add(key, points, quota) {
            const counted = { counter, windowMs, key }
            if (quota === undefined || points !== 1) return lender.add({ ...counted, points }).catch(rejectCalls)
            const name = nameOf(counted)
            for (;;) {
              const count = takeFromLoan(name)
              if (count !== undefined) return count
              let current = borrowing.get(name)
              if (current === undefined) {
                current = borrow(name, { ...counted, quota }).finally(() => borrowing.delete(name))
                borrowing.set(name, current)
              }
              await current
            }
          },
          read: (key) => lender.read({ counter, windowMs, key }).catch(rejectCalls),
        }
      },
    },

    async endLoan(name) {
      // A loan that arrived just before must be stored first, and calls that waited for it go first.
      await nextTurn()
      const loan = loans.get(name)
      loans.delete(name)
      const isCurrent = loan !== undefined && loan.last < Number.MAX_SAFE_INTEGER && performance.now() < loan.endsAt
      return isCurrent ? loan.last - loan.next + 1 : 0
    },
  }
}

function rejectCalls(cause: unknown): never {
  throw new DomainError('service_unavailable', 'Calls cannot be counted at the moment. Retry shortly.', {
    retryAfterSeconds: 2,
    cause,
  })
}
