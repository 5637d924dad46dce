import type { Config } from '../platform/config/config.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import type { Databases } from '../platform/db/databases.ts'
import { CommandError } from '../platform/kernel/command-error.ts'
import { type LedgerContents, readFileLedger } from '../privacy/erasure-ledger/file.ts'
import type { ErasureLedger } from '../privacy/erasure-ledger.ts'
import { type ReplayOutcome, replayErasure } from '../privacy/replay-erasure.ts'
import { composeCipher } from './compose.ts'
import { openErasureLedger } from './open-erasure-ledger.ts'

/** A line that was not replayed. */
interface ReplayProblem {
  file: string
  line: number
  detail: string
}

/** How many entries had each outcome, and what the operator has to look at. */
export interface ReplayResult extends Record<ReplayOutcome, number> {
  /** Lines cut off by a crash, whose erasures were never confirmed. */
  torn: ReplayProblem[]
  /** Lines that cannot be read, and erasures that failed. */
  failed: ReplayProblem[]
}

/**
 * Replays these ledger files or, without any, ERASURE_LEDGER, and reports how many of the entries are done. A line that
 * fails does not stop the rest. What it erases is entered in ERASURE_LEDGER too, unless it is there already. Throws
 * `CommandError` if a file cannot be read; then nothing has been erased.
 */
export async function replayForOperator(
  { config, databases, secrets }: { config: Config; databases: Databases; secrets: Secrets },
  given: readonly string[],
  onProgress: (done: number, total: number) => void,
): Promise<ReplayResult> {
  const own = config.erasureLedger.file
  const ledgers = await Promise.all((given.length === 0 ? [own] : given).map(readLedger))
  const erasureLedger = await withoutRepetition(await openErasureLedger(config), own)
  const deps = { databases, cipher: await composeCipher(databases.system, secrets), erasureLedger }
  const counts = { applied: 0, already_erased: 0, unknown: 0, superseded: 0, mismatched: 0 }
  const torn: ReplayProblem[] = []
  const failed: ReplayProblem[] = []
  const total = ledgers.reduce((sum, { entries }) => sum + entries.length, 0)
  let done = 0
  for (const { file, entries, unreadable } of ledgers) {
    for (const { line, kind } of unreadable) {
      if (kind === 'torn') torn.push({ file, line, detail: 'was cut off by a crash; its erasure was never confirmed' })
      else failed.push({ file, line, detail: 'cannot be read' })
    }
    for (const entry of entries) {
      const { line, customerId } = entry
      try {
        const outcome = await replayErasure(deps, entry)
        counts[outcome] += 1
        if (outcome === 'mismatched')
          failed.push({ file, line, detail: `${customerId} belongs to another partner than this line says` })
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'unknown error'
        failed.push({ file, line, detail: `${customerId} was not erased: ${reason}` })
      }
      done += 1
      onProgress(done, total)
    }
  }
  return { ...counts, torn, failed }
}

async function readLedger(file: string): Promise<LedgerContents & { file: string }> {
  const contents = await readFileLedger(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      'erasure_ledger',
      `${file} cannot be read (${error.code ?? 'unknown'}). Name a ledger of erasures.`,
    )
  })
  return { file, ...contents }
}

/** A ledger to which customers that are already in it are not added again. */
async function withoutRepetition(ledger: ErasureLedger, own: string): Promise<ErasureLedger> {
  const { entries } = await readFileLedger(own).catch(() => ({ entries: [] }))
  const known = new Set(entries.map(({ customerId }) => customerId))
  return { append: (added) => ledger.append(added.filter(({ customerId }) => !known.has(customerId))) }
}
