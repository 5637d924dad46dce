import { type Command, Option } from 'commander'
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
    .usage('[options] <id>\n       housebill customers erase --replay [file...]')
    .description(
      "Erase a customer's data, except what the law requires to be kept about a contract. This cannot be undone.",
    )
    .argument('[id]', 'the customerId')
    .option(
      '--force',
      'erase even while their contract is running; this also deletes their card, so no more payments can be collected',
    )
    .addOption(
      new Option(
        '--replay [file...]',
        'after restoring a backup, repeat the erasures in these ledgers (default: ERASURE_LEDGER)',
      ).conflicts('force'),
    )
    .addOption(jsonOption())
    .action(async (id: string | undefined, options: EraseOptions, command: Command) => {
      const { replay } = options
      if ((id === undefined) === (replay === undefined)) command.error('error: give either a customerId or --replay')
      if (id !== undefined) await (await actions()).eraseCustomer(id, options)
      else if (replay !== undefined) await (await actions()).replayErasures(replay === true ? [] : replay, options)
    })
}
