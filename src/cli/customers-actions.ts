import { eraseForOperator, exportForOperator } from '../compose/operator-customers.ts'
import { retainedByLaw } from '../domain/privacy/retention.ts'
import { CommandError } from '../kernel/command-error.ts'
import { type JsonOption, printJson } from './json-option.ts'
import { formatInstant } from './table.ts'
import { withDatabase } from './with-database.ts'

export interface EraseOptions extends JsonOption {
  force?: true
}

/** `customers export`: prints the export as JSON, with or without `--json`. */
export async function printCustomerExport(customerId: string, { json }: JsonOption): Promise<void> {
  const held = await withDatabase('customers export', (opened) => exportForOperator(opened, customerId))
  if (held === undefined) throw unknown(customerId)
  if (json) printJson(held)
  else console.log(JSON.stringify(held, null, 2))
}

/** The command `customers erase`. */
export async function eraseCustomer(customerId: string, { force, json }: EraseOptions): Promise<void> {
  const isForced = force === true
  const operation = isForced ? 'customers erase --force' : 'customers erase'
  const erased = await withDatabase(operation, (opened) => eraseForOperator(opened, customerId, { force: isForced }))
  if (erased === undefined) throw unknown(customerId)
  const { erasedAt, retainedUntil } = erased
  if (json) {
    printJson({ customerId, erasedAt, retainedUntil, retained: retainedUntil === null ? [] : retainedByLaw })
    return
  }
  console.log(`${customerId} was erased on ${formatInstant(erasedAt)}.`)
  if (retainedUntil !== null)
    console.log(`Kept until ${retainedUntil}, as required by law: ${retainedByLaw.join(', ')}.`)
}

function unknown(customerId: string): CommandError {
  return new CommandError('not_found', `No customer has the id ${customerId}.`)
}
