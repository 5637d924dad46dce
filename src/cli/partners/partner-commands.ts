import { type Command, Option } from 'commander'
import { type JsonOption, jsonOption } from '../json-option.ts'
import { addCommissionCommands } from './commission-commands.ts'
import type { AddCredentialOptions, RotateOptions } from './credential-actions.ts'
import type { ChangePartnerOptions, CreatePartnerOptions } from './partner-actions.ts'
import {
  allowFromOption,
  durationParser,
  maxNameLength,
  parseAddressRanges,
  parseClientId,
  parseDisplayName,
  parseScopes,
  settingOptions,
} from './partner-options.ts'

const maxOverlapDays = 30
const maxLifetimeDays = 3_650

export function addPartnerCommands(program: Command): void {
  const partner = program.command('partner').description('Create partners and manage their credentials.')
  const actions = () => import('./partner-actions.ts')

  partner
    .command('create')
    .description('Create a partner. Prints its credentials as JSON: the secret is shown only once.')
    .requiredOption('--name <name>', `the name of the partner, 1 to ${maxNameLength} characters`, parseDisplayName)
    .option(
      '--scopes <scopes>',
      'the scopes of its credentials, such as quotes:read,quotes:write (default: all)',
      parseScopes,
    )
    .option('--client-id <id>', 'a client id at the external identity provider, which keeps its secret', parseClientId)
    .addOption(allowFromOption())
    .addOption(jsonOption())
    .action(async (options: CreatePartnerOptions) => (await actions()).runCreatePartner(options))

  partner
    .command('list')
    .description('List the partners and their credentials, oldest first, with scopes, expiry and last use.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).printPartners(options))

  partner
    .command('disable')
    .description('Disable a partner. Its credentials and tokens are rejected within seconds. This cannot be undone.')
    .argument('<id>', "the partner's id, or one of its client ids")
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => (await actions()).runDisablePartner(id, options))

  const change = partner
    .command('change')
    .description('Change the name, the contact or the limit of a partner. Servers follow within two seconds.')
    .argument('<id>', "the partner's id")
    .option('--name <name>', `the name of the partner, 1 to ${maxNameLength} characters`, parseDisplayName)
  for (const { option } of Object.values(settingOptions)) change.addOption(option)
  change.addOption(jsonOption()).action(async (id: string, options: ChangePartnerOptions, command: Command) => {
    const { json: _, ...changes } = options
    if (Object.keys(changes).length === 0) command.error('error: give at least one of the options')
    await (await import('./partner-actions.ts')).runChangePartner(id, options)
  })

  addSuspensionCommands(partner)
  addCredentialCommands(partner)
  addCommissionCommands(partner)
}

function addSuspensionCommands(partner: Command): void {
  const actions = () => import('./partner-actions.ts')

  partner
    .command('suspend')
    .description(
      'Reject every call of a partner with 403 partner_suspended until it is resumed. Deliveries, payments and contracts go on.',
    )
    .argument('<id>', "the partner's id, or one of its client ids")
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => (await actions()).runSuspendPartner(id, options))

  partner
    .command('resume')
    .description('Accept the calls of a suspended partner again. All servers follow within two seconds.')
    .argument('<id>', "the partner's id, or one of its client ids")
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => (await actions()).runResumePartner(id, options))
}

function addCredentialCommands(partner: Command): void {
  const actions = () => import('./credential-actions.ts')

  partner
    .command('add-credential')
    .description('Give a partner additional credentials, with only the scopes a program needs. Prints them as JSON.')
    .argument('<partner>', "the partner's id, or one of its client ids")
    .requiredOption(
      '--scopes <scopes>',
      'the scopes of the credentials, such as quotes:read,customers:read; an export needs customers:export, its PSR details psr:read',
      parseScopes,
    )
    .option('--name <name>', `the program that uses them, 1 to ${maxNameLength} characters`, parseDisplayName)
    .option(
      '--expires-in <time>',
      'how long they are valid, such as 90d (default: no expiry)',
      durationParser(maxLifetimeDays, false),
    )
    .option('--client-id <id>', 'a client id at the external identity provider, which keeps its secret', parseClientId)
    .addOption(allowFromOption())
    .addOption(jsonOption())
    .action(async (id: string, options: AddCredentialOptions) => (await actions()).runAddCredential(id, options))

  partner
    .command('rotate-secret')
    .description('Give a client id a new secret. Prints the credentials as JSON.')
    .argument('<clientId>', 'the client id, as shown by "partner list"')
    .option(
      '--overlap <time>',
      'how long the old secret is also accepted, such as 24h; 0 ends it immediately',
      durationParser(maxOverlapDays, true),
      0,
    )
    .addOption(
      new Option(
        '--end-tokens',
        'also end every token issued until now; all servers reject them within two seconds',
      ).conflicts('overlap'),
    )
    .addOption(jsonOption())
    .action(async (id: string, options: RotateOptions) => (await actions()).runRotateSecret(id, options))

  partner
    .command('allow-from')
    .description('Set the addresses from which credentials may be used. All servers follow within two seconds.')
    .argument('<clientId>', 'the client id, as shown by "partner list"')
    .argument('<addresses>', 'IP addresses and ranges such as 192.0.2.0/24,2001:db8::/48, or "any"', (value: string) =>
      value === 'any' ? null : parseAddressRanges(value),
    )
    .addOption(jsonOption())
    .action(async (id: string, allowedFrom: readonly string[] | null, options: JsonOption) =>
      (await actions()).runAllowFrom(id, allowedFrom, options),
    )

  partner
    .command('remove-credential')
    .description(
      'Remove credentials. Their secret stops working immediately, their tokens within seconds. This cannot be undone.',
    )
    .argument('<clientId>', 'the client id, as shown by "partner list"')
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => (await actions()).runRemoveCredential(id, options))
}
