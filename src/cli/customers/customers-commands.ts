import { type Command, Option } from 'commander'
import { type JsonOption, jsonOption } from '../print.ts'
import type { EraseOptions } from './customers-actions.ts'

interface EmailOption {
  email?: string
}

export function addCustomersCommands(program: Command): void {
  const customers = program.command('customers').description('Export or erase the data of a customer of any partner.')
  const actions = () => import('./customers-actions.ts')

  const emailOption = () =>
    new Option('--email <address>', 'everything of the person who has this e-mail address now, at every partner')

  customers
    .command('export')
    .usage('[options] <id>\n       housebill customers export --email <address>')
    .description(
      'Print all data held about a customer or a person, as JSON. Every export is recorded in the audit log.',
    )
    .argument('[id]', 'the customerId')
    .addOption(emailOption())
    .addOption(jsonOption())
    .action(async (id: string | undefined, options: JsonOption & EmailOption, command: Command) => {
      if ((id === undefined) === (options.email === undefined))
        command.error('error: give either a customerId or --email')
      if (id !== undefined) await (await actions()).printCustomerExport(id, options)
      else if (options.email !== undefined) await (await actions()).printPersonExport(options.email, options)
    })

  customers
    .command('erase')
    .usage(
      '[options] <id>\n       housebill customers erase [options] --email <address>\n       housebill customers erase --replay [file...]',
    )
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
    .addOption(emailOption().conflicts('replay'))
    .addOption(jsonOption())
    .action(async (id: string | undefined, options: EraseOptions & EmailOption, command: Command) => {
      const { replay, email } = options
      if ([id, replay, email].filter((given) => given !== undefined).length !== 1)
        command.error('error: give a customerId, --email or --replay')
      if (id !== undefined) await (await actions()).eraseCustomer(id, options)
      else if (email !== undefined) await (await actions()).erasePerson(email, options)
      else if (replay !== undefined) await (await actions()).replayErasures(replay === true ? [] : replay, options)
    })
}
