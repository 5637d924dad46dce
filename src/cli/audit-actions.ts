import { isIP } from 'node:net'
import { composeCipher } from '../app/compose.ts'
import { hashOfAddress } from '../platform/kernel/address-filter.ts'
import { CommandError } from '../platform/kernel/command-error.ts'
import { listAuditLog } from '../privacy/list-audit-log.ts'
import { type JsonOption, print, printJson } from './print.ts'
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
  const entries = await withDatabase('audit list', async ({ databases, secrets }) =>
    listAuditLog({ databases, cipher: await composeCipher(databases.system, secrets) }, filter),
  )
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
    [entry.actor, entry.person, entry.credential].filter((part) => part !== null).join(' '),
    entry.operation ?? '',
    entry.action,
    `${entry.subjectType} ${entry.subjectId}`,
    entry.fields.join(', '),
    entry.requestId ?? '',
  ])
  print(alignRows([['AT', 'WHO', 'OPERATION', 'DID', 'WHAT', 'FIELDS', 'REQUEST'], ...rows]))
}

/** The command `audit address-hash`. */
export async function printAddressHash(address: string, { json }: JsonOption): Promise<void> {
  if (isIP(address) === 0)
    throw new CommandError('invalid_request', 'This is not an IP address. Write it as 192.0.2.7 or 2001:db8::7.')
  const cipher = await withDatabase('audit address-hash', ({ databases, secrets }) =>
    composeCipher(databases.system, secrets),
  )
  const addressHash = hashOfAddress((text) => cipher.hash(text), address.toLowerCase())
  if (json) printJson({ addressHash })
  else print(addressHash)
}
