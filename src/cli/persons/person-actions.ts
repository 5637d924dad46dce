import { erasePerson as erase, exportPerson, type PersonErasure } from '../../app/operator-customers.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { retainedByLaw } from '../../privacy/retention.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
import { alignRows } from '../table.ts'
import { withDatabase } from '../with-database.ts'

/** `customers export --email`: prints everything held about a person as JSON, with or without `--json`. */
export async function printPersonExport(email: string, { json }: JsonOption): Promise<void> {
  const held = await withDatabase('customers export', (opened) => exportPerson(opened, email))
  if (held.customers.length === 0) throw nobody(email)
  if (json) printJson(held)
  else print(JSON.stringify(held, null, 2))
}

/** `customers erase --email`: prints a report. The exit code is 1 if somebody was not erased. */
export async function erasePerson(email: string, { force, json }: JsonOption & { force?: true }): Promise<void> {
  const isForced = force === true
  const operation = isForced ? 'customers erase --force' : 'customers erase'
  const done = await withDatabase(operation, (opened) => erase(opened, email, { force: isForced }))
  if (done.length === 0) throw nobody(email)
  const report = { email, customers: done.map(reported) }
  const rejected = done.flatMap((each) => ('rejected' in each ? [each] : []))
  if (!json) print(alignRows([['customer', 'partner', 'erased', 'kept by law until'], ...done.map(rowOf)]))
  if (!json && done.some((each) => 'erased' in each && each.erased.retainedUntil !== null))
    print(`Kept: ${retainedByLaw.join(', ')}.`)
  if (rejected.length > 0)
    throw new CommandError('erasure_incomplete', 'Not everything was erased. Read why, and run the command again', {
      problems: rejected.map(({ customerId, rejected: { message } }) => ({ detail: `${customerId}: ${message}` })),
      result: report,
    })
  if (json) printJson(report)
}

function reported({ customerId, partnerId, quoteId, ...outcome }: PersonErasure) {
  const whom = { customerId, partnerId, quoteId }
  if ('rejected' in outcome) return { ...whom, erasedAt: null, refused: outcome.rejected.code }
  const { erasedAt, retainedUntil } = outcome.erased
  return { ...whom, erasedAt, retainedUntil, retained: retainedUntil === null ? [] : retainedByLaw }
}

function rowOf(each: PersonErasure): string[] {
  const { customerId, partnerName } = each
  if ('rejected' in each) return [customerId, partnerName, `no: ${each.rejected.code}`]
  return [customerId, partnerName, each.erased.erasedAt.toISOString(), each.erased.retainedUntil ?? '–']
}

function nobody(email: string): CommandError {
  return new CommandError('not_found', `Nobody has the e-mail address ${email} now. Erased customers have none.`)
}
