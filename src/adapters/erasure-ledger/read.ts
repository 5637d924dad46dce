import { readFile } from 'node:fs/promises'
import { parseLines } from './lines.ts'

export type LedgerContents = ReturnType<typeof parseLines>

/** Reads the whole ledger. Throws the error of the file system if it cannot be read. */
export async function readFileLedger(path: string): Promise<LedgerContents> {
  return parseLines(await readFile(path, 'utf8'))
}
