import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ServingCommandName } from '../../app/serve-customer.ts'
import { type IsoDate, isIsoDate } from '../../platform/kernel/dates.ts'
import { type JsonOption, jsonOption } from '../json-option.ts'
import type { EraseOptions } from './customers-actions.ts'

interface EmailOption {
  email?: string
}

export function addCustomersCommands(program: Command): void {
  const customers = program
    .command('customers')
    .description('Serve a customer of any partner, and export or erase their data.')
  addServingCommands(customers)
  const actions = () => import('./customers-actions.ts')

  customers
    .command('retry-mails')
    .description(
      'Send again every e-mail to tenants and to contacts of partners that was given up in a period, such as after a mail server rejected all. What is over is not sent.',
    )
    .addOption(needed(day('--from <date>', 'the first day')))
    .addOption(needed(day('--to <date>', 'the last day')))
    .addOption(jsonOption())
    .action(async (options: JsonOption & { from: IsoDate; to: IsoDate }) => (await actions()).retryMails(options))

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

/** A command that does for a customer what their partner could do with an operation of the same name. */
interface ServingCommand {
  name: ServingCommandName
  description: string
  options: readonly Option[]
}

const day = (flags: string, description: string) => new Option(flags, description).argParser(parseDay)
const needed = (option: Option) => option.makeOptionMandatory()

const noticeOptions = [
  day('--sent-on <date>', 'the day on which the tenant sent their message or gave notice (default: --informed-on)'),
  day('--informed-on <date>', 'the day on which it arrived (default: today)'),
  new Option('--reason <text>', 'why the tenant leaves; stored encrypted'),
]

const dryRun = new Option('--dry-run', 'change nothing')

const commands: readonly ServingCommand[] = [
  {
    name: 'cancel',
    description: 'Cancel a contract without a reason, within 14 days. With --dry-run, only print what would be owed.',
    options: [...noticeOptions, dryRun],
  },
  {
    name: 'end',
    description: 'End a contract early. With --dry-run, only print what would be owed.',
    options: [needed(day('--end-date <date>', 'the last day of the contract')), ...noticeOptions, dryRun],
  },
  {
    name: 'replace',
    description:
      'Add a tenant who takes over the share of a customer, once they have accepted. With --dry-run, only print what each would pay.',
    options: [
      needed(new Option('--name <name>', "the new tenant's full name")),
      needed(new Option('--email <address>', "the new tenant's e-mail address")),
      needed(day('--from <date>', 'the first day of the new tenant')),
      dryRun,
    ],
  },
  {
    name: 'withdraw-replacement',
    description: 'Remove the tenant who was to take over the share of a customer.',
    options: [],
  },
  {
    name: 'correct',
    description: 'Correct the name or the contact details of a customer. Their contract documents do not change.',
    options: [
      new Option('--first-name <name>', 'the first name'),
      new Option('--last-name <name>', 'the last name'),
      new Option('--email <address>', 'the e-mail address'),
      new Option('--phone <number>', 'the phone number'),
    ],
  },
  {
    name: 'change-card',
    description:
      'Start a change of card. Prints the link to send to the customer or, without a card page, its client secret.',
    options: [],
  },
  {
    name: 'resend-mails',
    description: 'Send a customer again what they were last sent by e-mail about their contract.',
    options: [],
  },
  {
    name: 'contract-link',
    description: 'Print a link to a contract document, to send to the customer again.',
    options: [new Option('--contract-number <number>', 'one of their contracts (default: the latest)')],
  },
]

/** The options that the operation takes in its query. */
const inQuery = new Set(['dryRun', 'contractNumber'])

/** Adds the commands with which the operator serves a customer of any partner. */
function addServingCommands(customers: Command): void {
  for (const { name, description, options } of commands) {
    const command = customers.command(name).description(description).argument('<id>', 'the customerId')
    for (const option of options) command.addOption(option)
    command
      .addOption(jsonOption())
      .action(async (id: string, { json, ...given }: JsonOption & Record<string, unknown>) => {
        const { runServingCommand } = await import('./customers-actions.ts')
        const members = Object.entries(given)
        const query = Object.fromEntries(
          members.filter(([key]) => inQuery.has(key)).map(([key, value]) => [key, `${value}`]),
        )
        const body = Object.fromEntries(members.filter(([key]) => !inQuery.has(key)))
        await runServingCommand(name, id, { query, body }, { json: json === true })
      })
  }
}

function parseDay(text: string): string {
  if (!isIsoDate(text)) throw new InvalidArgumentError('Must be a date such as 2026-07-01.')
  return text
}
