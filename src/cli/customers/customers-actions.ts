import {
  erasePerson as erase,
  eraseForOperator,
  exportForOperator,
  exportPerson,
  type PersonErasure,
} from '../../app/operator-customers.ts'
import { replayForOperator } from '../../app/replay-for-operator.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { retainedByLaw } from '../../privacy/retention.ts'
import { type JsonOption, print, printJson } from '../print.ts'
import { createProgress } from '../progress.ts'
import { alignRows, formatInstant } from '../table.ts'
import { withDatabase } from '../with-database.ts'

export interface EraseOptions extends JsonOption {
  force?: true
  /** The ledgers to replay; true stands for the configured one. */
  replay?: true | string[]
}

/** `customers export`: prints the export as JSON, with or without `--json`. */
export async function printCustomerExport(customerId: string, { json }: JsonOption): Promise<void> {
  const held = await withDatabase('customers export', (opened) => exportForOperator(opened, customerId))
  if (held === undefined) throw unknown(customerId)
  if (json) printJson(held)
  else print(JSON.stringify(held, null, 2))
}

/** The command `customers erase`. */
export async function eraseCustomer(customerId: string, { force, json }: EraseOptions): Promise<void> {
  const isForced = force === true
  const operation = isForced ? 'customers erase --force' : 'customers erase'
  const erased = await withDatabase(operation, (opened) =>
    eraseForOperator(opened, customerId, { force: isForced }),
  ).catch((error: unknown) => {
    throw error instanceof DomainError ? new DomainError(error.code, reasonOf(error)) : error
  })
  if (erased === undefined) throw unknown(customerId)
  const { erasedAt, retainedUntil } = erased
  if (json) {
    printJson({ customerId, erasedAt, retainedUntil, retained: retainedUntil === null ? [] : retainedByLaw })
    return
  }
  print(`${customerId} was erased on ${formatInstant(erasedAt)}.`)
  if (retainedUntil !== null) print(`Kept until ${retainedUntil}, as required by law: ${retainedByLaw.join(', ')}.`)
}

/** The command `customers erase --replay`. The exit code is 1 if a line cannot be read or an erasure failed. */
export async function replayErasures(files: readonly string[], { json }: JsonOption): Promise<void> {
  const progress = createProgress('entries')
  const report = (done: number, total: number) => progress.update(done, done / total)
  const result = await withDatabase('customers erase --replay', (opened) =>
    replayForOperator(opened, files, json ? () => undefined : report),
  ).finally(progress.clear)
  const { torn, failed, ...counts } = result
  const printed = { applied: counts.applied, alreadyErased: counts.already_erased, unknown: counts.unknown }
  if (!json) {
    print(`Erased: ${counts.applied}. Already erased: ${counts.already_erased}. Unknown here: ${counts.unknown}.`)
    if (counts.superseded > 0) print(`Not erased, because they went on with their quote later: ${counts.superseded}.`)
    for (const { file, line, detail } of torn) print(`${file}, line ${line}: ${detail}.`)
  }
  const results = { ...printed, wentOn: counts.superseded, torn }
  if (failed.length === 0) {
    if (json) printJson(results)
    return
  }
  throw new CommandError(
    'replay_incomplete',
    'Not every line was replayed. Correct these lines or their cause, then run the command again',
    {
      problems: failed.map(({ file, line, detail }) => ({ detail: `${file}, line ${line}: ${detail}` })),
      result: results,
    },
  )
}

/** Why somebody was not erased, and how the operator does it all the same. */
function reasonOf({ code, message }: DomainError): string {
  return code === 'contract_running' ? `${message} You are the operator: add --force to do it now.` : message
}

function unknown(customerId: string): CommandError {
  return new CommandError('not_found', `No customer has the id ${customerId}.`)
}

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
      problems: rejected.map(({ customerId, rejected: error }) => ({ detail: `${customerId}: ${reasonOf(error)}` })),
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
