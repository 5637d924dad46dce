import type { Command } from 'commander'
import type { EraseOptions } from './customers-actions.ts'
import { type JsonOption, jsonOption } from './json-option.ts'

export function addCustomersCommands(program: Command): void {
  const customers = program.command('customers').description("Export or erase a person's data.")
  const actions = () => import('./customers-actions.ts')

  customers
    .command('export')
    .description('Print all data held about a customer, as JSON. Every export is recorded in the audit log.')
    .argument('<id>', 'the customerId')
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => (await actions()).printCustomerExport(id, options))

  customers
    .command('erase')
    .description(
      "Erase a customer's data, except what the law requires to be kept about a contract. This cannot be undone.",
    )
    .argument('<id>', 'the customerId')
    .option(
      '--force',
      'erase even while their contract is running; this also deletes their card, so no more payments can be collected',
    )
    .addOption(jsonOption())
    .action(async (id: string, options: EraseOptions) => (await actions()).eraseCustomer(id, options))
}
