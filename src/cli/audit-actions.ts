import { listAuditLog } from '../domain/audit/list-audit-log.ts'
import { CommandError } from '../kernel/command-error.ts'
import { type JsonOption, printJson } from './json-option.ts'
import { alignRows } from './table.ts'
import { withDatabase } from './with-database.ts'

export interface ListAuditOptions extends JsonOption {
  customer?: string
  partner?: string
  since?: Date
  limit: number
}

/** The command `audit list`. */
export async function printAuditLog({ customer, partner, since, limit, json }: ListAuditOptions): Promise<void> {
  const filter = { customerId: customer, partnerId: partner, since, limit }
  const entries = await withDatabase('audit list', ({ databases }) => listAuditLog({ databases }, filter))
  if (entries === undefined)
    throw new CommandError(
      'not_found',
      'No customer or partner has this id. Check the id, and make sure that this is the right deployment.',
    )
  if (json) {
    printJson({ entries })
    return
  }
  const rows = entries.map((entry) => [
    entry.at.toISOString(),
    [entry.actor, entry.credential].filter((part) => part !== null).join(' '),
    entry.operation ?? '',
    entry.action,
    `${entry.subjectType} ${entry.subjectId}`,
    entry.fields.join(', '),
    entry.requestId ?? '',
  ])
  console.log(alignRows([['AT', 'WHO', 'OPERATION', 'DID', 'WHAT', 'FIELDS', 'REQUEST'], ...rows]))
}
