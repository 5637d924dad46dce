import type { Contract } from '../../contracts/contract.ts'
import type { RecordedChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'

/** What is corrected about a home; null stays as it is. */
export interface PropertyCorrection {
  mpan: string | null
  mprn: string | null
  installDate: IsoDate | null
}

/** Adds a correction; the latest value of each field counts. */
export async function insertCorrection(
  tx: Tx,
  _recorded: RecordedChange,
  { partnerId, quoteId, contractNumber }: Pick<Contract, 'partnerId' | 'quoteId' | 'contractNumber'>,
  { mpan, mprn, installDate, reason, now }: PropertyCorrection & { reason: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into contract_corrections (partner_id, quote_id, contract_number, mpan, mprn, install_date, reason,
                                      corrected_at)
    values (${partnerId}, ${quoteId}, ${contractNumber}, ${mpan}, ${mprn}, ${installDate}, ${reason}, ${now})`)
}
