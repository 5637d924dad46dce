import type { Config } from '../platform/config/config.ts'
import { CommandError } from '../platform/kernel/command-error.ts'
import { checkFileLedger, createFileLedger } from '../privacy/erasure-ledger/file.ts'
import type { ErasureLedger } from '../privacy/erasure-ledger.ts'

/**
 * Opens the ledger of erasures. Throws `CommandError` if ERASURE_LEDGER is set and cannot be written: it is better not
 * to start than to reject the first erasure. The default file, in a sandbox, is created by the first erasure.
 */
export async function openErasureLedger({ erasureLedger }: Pick<Config, 'erasureLedger'>): Promise<ErasureLedger> {
  const { file, isGiven } = erasureLedger
  if (isGiven) {
    await checkFileLedger(file).catch((error: unknown) => {
      const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error) }
      throw new CommandError(
        'erasure_ledger',
        `ERASURE_LEDGER cannot be used: ${file}: ${code ?? message}. Set it to a file that this user can write.`,
      )
    })
  }
  return createFileLedger(file)
}
