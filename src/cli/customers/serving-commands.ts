import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ServingCommandName } from '../../app/serve-customer.ts'
import { isIsoDate } from '../../platform/kernel/dates.ts'
import { type JsonOption, jsonOption } from '../json-option.ts'

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

const commands: readonly ServingCommand[] = [
  { name: 'cancel', description: 'Cancel a contract without a reason, within 14 days.', options: noticeOptions },
  {
    name: 'end',
    description: 'End a contract early. With --dry-run, only print what would be owed.',
    options: [
      needed(day('--end-date <date>', 'the last day of the contract')),
      ...noticeOptions,
      new Option('--dry-run', 'change nothing'),
    ],
  },
  {
    name: 'replace',
    description: 'Add a tenant who takes over the share of a customer, once they have accepted.',
    options: [
      needed(new Option('--name <name>', "the new tenant's full name")),
      needed(new Option('--email <address>', "the new tenant's e-mail address")),
      needed(day('--from <date>', 'the first day of the new tenant')),
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
export function addServingCommands(customers: Command): void {
  for (const { name, description, options } of commands) {
    const command = customers.command(name).description(description).argument('<id>', 'the customerId')
    for (const option of options) command.addOption(option)
    command
      .addOption(jsonOption())
      .action(async (id: string, { json, ...given }: JsonOption & Record<string, unknown>) => {
        const { runServingCommand } = await import('./serving-actions.ts')
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
